import { fileURLToPath } from 'node:url'

/** The absolute path of a path relative to the repository. */
export const repositoryPath = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
