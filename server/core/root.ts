import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageFolder = (folder: string): string =>
  existsSync(join(folder, 'package.json')) || folder === dirname(folder) ? folder : packageFolder(dirname(folder))

/** The folder of package.json: the sources run from server/, the build from dist/server/. */
export const root = packageFolder(dirname(fileURLToPath(import.meta.url)))
