import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const KEPT_MS = 7 * 24 * 3600 * 1000
const compressible = /\.(js|css|svg|json|webmanifest|txt|ico|wasm)$/

const filesOf = async (folder) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

/** Writes a file compressed beside it, for those who accept that. */
export const compress = async (path, quality = 11) => {
  const bytes = await readFile(path)
  const size = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes, { params: size }), promisify(gzip)(bytes, { level: 9 })])
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
}

const place = async (from, to) => {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, `${to}.part`)
  await rename(`${to}.part`, to)
}

/**
 * Moves a new build to the served folder. Its assets come first and its index page last, and the previous build's assets stay
 * for seven days, so that a page opened before finds the parts it has not loaded yet (F-10).
 */
export const publish = async (fresh, served) => {
  const built = await filesOf(fresh)
  await Promise.all(
    built.filter((file) => compressible.test(file) && !file.startsWith('.vite')).map((file) => compress(join(fresh, file))),
  )
  const list = join(served, '.vite/published.json')
  const now = new Date()
  const before = await readFile(list, 'utf8').then(JSON.parse, () => [])
  for (const file of before) await utimes(join(served, file), now, now).catch(() => {})
  const current = (await filesOf(fresh)).filter((file) => file !== 'index.html')
  for (const file of current) await place(join(fresh, file), join(served, file))
  await place(join(fresh, 'index.html'), join(served, 'index.html'))
  await writeFile(list, JSON.stringify(current))
  const kept = new Set([...current, 'index.html', '.vite/published.json'])
  for (const file of (await filesOf(served)).filter((it) => !kept.has(it))) {
    const path = join(served, file)
    if (!file.startsWith('assets/') || (await stat(path)).mtimeMs < now.getTime() - KEPT_MS) await rm(path)
  }
  await rm(fresh, { recursive: true })
}
