import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { LightMyRequestResponse } from 'fastify'
import type { Endpoint } from '../../contract/core/endpoint'
import { createDocument } from '../../contract/openapi/document'
import { root } from '../../server/core/root'
import { freePort } from './free-port'

/** Whether the calls of this run go through Prism: the project `prism` of vite.config.ts. */
export const isThroughPrism = process.env.TEASEL_THROUGH_PRISM === '1'

const program = join(root, 'node_modules/@stoplight/prism-cli/dist/index.js')

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

type Sent = { method: string; path: string; headers: Record<string, string>; payload?: string | Buffer }
type Answer = Pick<LightMyRequestResponse, 'statusCode' | 'payload' | 'headers'>

/**
 * A proxy of `@stoplight/prism-cli` in front of an API host. It refuses what the OpenAPI document does not describe, requests and
 * answers, as `application/problem+json`, which no endpoint answers; `sl-violations` names lesser things. Then `send` rejects.
 */
export const startPrism = async (upstream: string) => {
  const directory = await mkdtemp(join(tmpdir(), 'teasel-prism-'))
  const file = join(directory, 'openapi.json')
  await writeFile(file, JSON.stringify(createDocument(upstream)))
  const port = await freePort()
  const options = ['--errors', '--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'silent']
  const child = spawn(process.execPath, [program, 'proxy', file, upstream, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error((await printed).join('\n'))
    await pause(50)
  }
  let passed = 0
  return {
    /** How many calls have gone through it. */
    passed: () => passed,
    send: ({ method, path, headers, payload: body }: Sent) =>
      new Promise<Answer>((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
        const asked = { port, host: '127.0.0.1', method, path, headers: { ...headers, ...length } }
        const sent = request(asked, (answer) => {
          const { statusCode = 0, headers: received } = answer
          text(answer).then((payload) => {
            const isRefused = received['content-type'] === 'application/problem+json'
            const found = isRefused ? payload : received['sl-violations']
            passed++
            if (found === undefined) resolve({ statusCode, payload, headers: received })
            else reject(new Error(`The OpenAPI document does not describe ${method} ${path}: ${String(found)}`))
          }, reject)
        })
        sent.on('error', reject).end(body)
      }),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type Prism = Awaited<ReturnType<typeof startPrism>>

/** Prism reads bodies as text: files and streams would not arrive as they are. */
export const canPassPrism = ({ answer, accepts: body }: Endpoint, payload: unknown): boolean =>
  answer !== 'bytes' && answer !== 'stream' && body !== 'bytes' && !Buffer.isBuffer(payload)
