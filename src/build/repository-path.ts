import { fileURLToPath } from 'node:url'

/** A path of this machine for one that is told from the top of the repository. */
export const repositoryPath = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
