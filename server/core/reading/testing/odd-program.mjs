// Readers that do not end well, for the test of reading threads.
import { register } from 'tsx/esm/api'

register()
const { serveReaders } = await import('../serve-readers.ts')

serveReaders({
  copy: async (given, { files, batches, emit }) => {
    const found = []
    for (const file of files) for (let at = 0; at < file.size; at += 4) found.push((await file.read(at, 4)).toString())
    for await (const batch of batches()) await emit(batch * 2)
    return { given, found, hasSecrets: Object.keys(process.env).length > 0 }
  },
  endless: async () => {
    for (;;);
  },
  greedy: async () => {
    const kept = []
    for (;;) kept.push(Array.from({ length: 1000 }, (_, n) => ({ n })))
  },
  broken: async () => {
    throw new TypeError('a mistake in a reader')
  },
  loose: () =>
    new Promise(() => {
      setImmediate(() => {
        throw new Error('outside of a promise')
      })
    }),
  gone: async () => process.exit(3),
})
