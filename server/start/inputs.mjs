import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from './run.mjs'

const filesOf = async (path) => {
  const found = await stat(path).catch(() => undefined)
  if (!found) return []
  if (found.isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** One hash of the contents of these files and folders. */
const hashOf = async (inputs) => {
  const hash = createHash('sha256')
  for (const input of inputs)
    for (const file of (await filesOf(join(root, input))).toSorted())
      hash
        .update(`${file}\0`)
        .update(await readFile(file))
        .update('\0')
  return hash.digest('hex')
}

/** Runs `work` only if its inputs changed since its last run, or if its outputs are missing. */
export const whenChanged = async (name, { inputs, outputs }, work) => {
  const note = join(root, 'node_modules/.cache/teasel', name)
  const hash = await hashOf(inputs)
  const known = await readFile(note, 'utf8').catch(() => '')
  if (known === hash && outputs.every((output) => existsSync(join(root, output)))) return false
  await work()
  await mkdir(dirname(note), { recursive: true })
  await writeFile(note, hash)
  return true
}
