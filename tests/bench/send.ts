import { Agent, request } from 'node:http'
import type { Endpoint } from '../../contract/core/endpoint'

/** So many requests are open at a time. */
export const open = 32

const agent = new Agent({ keepAlive: true, maxSockets: open })
type Sent = { base: string; endpoint: Pick<Endpoint, 'method' | 'path'>; token: string; body: string; type?: string }
export const send = ({ base, endpoint, token, body, type = 'application/json' }: Sent): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': Buffer.byteLength(body) }
    const sent = request(`${base}${endpoint.path}`, { method: endpoint.method, agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.on('end', () => {
        if ((answer.statusCode ?? 500) < 300) resolve()
        // Without a connection of the database in time, as on a busy machine.
        else if (answer.statusCode === 503) resolve(send({ base, endpoint, token, body, type }))
        else reject(new Error(`${endpoint.path}: ${answer.statusCode} ${text}`))
      })
    })
    sent.on('error', reject).end(body)
  })

/** Runs tasks, `open` at a time. */
export const runAll = async (tasks: readonly (() => Promise<void>)[]) => {
  let next = 0
  const worker = async () => {
    for (let task = tasks[next++]; task; task = tasks[next++]) await task()
  }
  await Promise.all(Array.from({ length: open }, worker))
}
