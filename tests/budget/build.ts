import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

const dist = new URL('../../dist/console/', import.meta.url)

type Chunk = {
  file: string
  src?: string
  isEntry?: boolean
  isDynamicEntry?: boolean
  imports?: string[]
  dynamicImports?: string[]
  css?: string[]
}

/** Vite's manifest of the build. Throws if there is none. */
export const manifest = (): Record<string, Chunk> => JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))

const sizes = new Map<string, number>()

/** Bytes of a built file as Brotli sends them (quality 11, the one of the precompressed files). */
export const brotliBytes = (file: string): number => {
  const known = sizes.get(file)
  if (known !== undefined) return known
  const bytes = readFileSync(fileURLToPath(new URL(file, dist)))
  const size = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length
  sizes.set(file, size)
  return size
}

/** All files loaded with the given chunks: they and their static imports. */
export const closure = (chunks: Record<string, Chunk>, keys: readonly string[]): Set<string> => {
  const files = new Set<string>()
  const seen = new Set<string>()
  const visit = (key: string) => {
    const chunk = chunks[key]
    if (!chunk || seen.has(key)) return
    seen.add(key)
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    for (const next of chunk.imports ?? []) visit(next)
  }
  for (const key of keys) visit(key)
  return files
}

export const total = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + brotliBytes(file), 0)
export const scripts = (files: Iterable<string>): string[] => [...files].filter((file) => file.endsWith('.js'))
