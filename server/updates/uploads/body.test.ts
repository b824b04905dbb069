import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { receive } from './body'

const bodyOf = (...chunks: string[]) => Readable.from(chunks.map((it) => Buffer.from(it)))

it('passes chunks on until the body ends, and waits while there is no room', async () => {
  const taken: string[] = []
  const waited: string[] = []
  await receive({ stream: bodyOf('a', 'b', 'c', 'd') }, (chunk) => {
    taken.push(chunk.toString())
    if (chunk.toString() !== 'b') return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        waited.push(...taken)
        resolve()
      })
    })
  })
  expect([waited, taken]).toEqual([
    ['a', 'b'],
    ['a', 'b', 'c', 'd'],
  ])
})

it('rejects with the error of the receiver, at once or while the body waits, and leaves the stream open', async () => {
  const refusals = [
    () => {
      throw new Error('no space')
    },
    () => Promise.reject(new Error('no space')),
  ]
  for (const refuse of refusals) {
    const stream = bodyOf('a', 'b')
    await expect(receive({ stream }, refuse)).rejects.toThrow('no space')
    expect([stream.destroyed, stream.listenerCount('data')]).toEqual([false, 0])
  }
})

it('stops without an error when the body breaks or another request waits', async () => {
  const taken: string[] = []
  const broken = new Readable({ read: () => {} })
  const received = receive({ stream: broken }, (chunk) => void taken.push(chunk.toString()))
  broken.push('a')
  setImmediate(() => broken.destroy(new Error('aborted')))
  await received
  const stopping = new AbortController()
  const stream = bodyOf('b', 'c')
  await receive({ stream, signal: stopping.signal }, (chunk) => {
    taken.push(chunk.toString())
    stopping.abort()
    return undefined
  })
  await receive({ stream, signal: stopping.signal }, () => expect.fail('a request that has to stop reads nothing'))
  expect([taken, stream.destroyed]).toEqual([['a', 'b'], false])
})
