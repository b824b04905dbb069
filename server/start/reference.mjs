import { copyFile, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { compress } from './publish.mjs'
import { root } from './run.mjs'

/** The viewer of the API reference (`server/core/http/api-reference.ts`): one file, without the package at run time. */
export const publishReference = async () => {
  const folder = join(root, 'dist/reference')
  await mkdir(folder, { recursive: true })
  const fresh = join(folder, 'fresh.js')
  await copyFile(join(root, 'node_modules/@scalar/api-reference/dist/browser/standalone.js'), fresh)
  // The best quality takes ten times as long for 3.4 MB.
  await compress(fresh, 9)
  for (const ending of ['.br', '.gz', '']) await rename(`${fresh}${ending}`, join(folder, `viewer.js${ending}`))
}
