import { connect } from 'node:net'
import { createHash } from 'node:crypto'

// The requests of clients that Debian does not package, with the sizes of their buffers.

type Device = { url: string; id: string; authorization: string }
type Answer = { status: number; head: string; body: Buffer }

/** One request on a connection of its own, as the small clients make it. `first`: the bytes of the first read. */
const request = (
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url)
    const socket = connect(Number(port || 80), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const all = Buffer.concat(chunks)
      const end = all.indexOf('\r\n\r\n')
      const head = all.subarray(0, end + 4).toString('latin1')
      resolve({ status: Number(head.slice(9, 12)), head, body: all.subarray(end + 4) })
    })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `${method} ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port || 80}\r\nConnection: close\r\n${lines.join('')}${
        body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
      }\r\n${body}`,
    )
  })

const hrefOf = (text: string, name: string) => new RegExp(`"${name}":\\{"href":"([^"]+)"`).exec(text)?.[1]

/** What a client of Zephyr needs of every answer: it fails otherwise. */
const checkZephyr = ({ head }: Answer) => {
  const first = head.slice(0, 640)
  if (!/\r\ncontent-length: \d+\r\n/i.test(first)) throw new Error('no length in the first read')
  if (/transfer-encoding|content-encoding/i.test(head)) throw new Error('chunked or compressed')
  if (head.length > 400) throw new Error(`a head of ${head.length} bytes`)
}

/**
 * Zephyr: polls, sends its attributes, downloads and restarts. `stored` is the action id that it keeps in flash. The older generation
 * reports success before the restart; both report it when the stored id is offered again, also after MCUboot went back.
 */
export const zephyr = ({ url, id, authorization }: Device, generation: 'before' | 'after', facts: { version: string }) => {
  const headers = { Authorization: authorization, 'Content-Type': 'application/json;charset=UTF-8' }
  let stored = 0
  const ask = async (address: string, sent: Parameters<typeof request>[1] = {}) => {
    const answer = await request(address, { ...sent, headers: { ...headers, ...sent.headers } })
    checkZephyr(answer)
    return answer
  }
  const report = async (href: string, execution: string, finished: string) => {
    const body = JSON.stringify({ id: '1', status: { execution, result: { finished }, details: [] } })
    const { status } = await ask(`${href}/feedback`, { method: 'POST', body })
    if (status !== 200) throw new Error(`a report was answered with ${status}`)
  }

  /** Polls until there is nothing left to do, as the client does at once after each answer. Returns the file if it got one. */
  const poll = async (): Promise<Buffer | null> => {
    for (let polls = 0; polls < 8; polls++) {
      const { status, body } = await ask(`${url}/DEFAULT/controller/v1/${id}`)
      if (status !== 200) throw new Error(`a poll was answered with ${status}`)
      const text = body.toString('utf8')
      const cancel = hrefOf(text, 'cancelAction')
      const config = hrefOf(text, 'configData')
      const deployment = hrefOf(text, 'deploymentBase')
      if (cancel !== undefined) await report(cancel, 'closed', 'success')
      else if (config !== undefined) {
        const data = { sw_version: facts.version, ...(generation === 'after' && { hw_revision: '3' }) }
        const sent = JSON.stringify({ mode: 'merge', data })
        const answer = await ask(config, { method: 'PUT', body: sent })
        if (answer.status !== 200) throw new Error(`attributes were answered with ${answer.status}`)
      } else if (deployment === undefined) return null
      else {
        const action = Number(/(\d+)$/.exec(deployment)?.[1])
        if (action > 2 ** 31 - 1) throw new Error('the id does not fit into 31 bits')
        if (action === stored) {
          await report(deployment, 'closed', 'success')
          return null
        }
        const { body: found } = await ask(deployment)
        const described = found.toString('utf8')
        if (!described.includes('"part":"bApp"')) throw new Error('no part bApp')
        const file = hrefOf(described, 'download-http')
        const sha256 = /"sha256":"(\w{64})"/.exec(described)?.[1]
        const { body: bytes } = await ask(file ?? '')
        if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error('another file')
        stored = action
        if (generation === 'before') await report(deployment, 'closed', 'success')
        return bytes
      }
    }
    throw new Error('the client polls for ever')
  }
  return { poll }
}

/** rauc-hawkbit-updater: reports each step and success before the restart; takes 416 for a complete file. */
export const raucHawkbitUpdater = ({ url, id, authorization }: Device) => {
  const headers = {
    Authorization: authorization,
    'User-Agent': 'rauc-hawkbit-c-agent/1.0',
    Accept: 'application/json;charset=UTF-8',
    'Content-Type': 'application/json;charset=UTF-8',
  }
  const ask = (address: string, sent: Parameters<typeof request>[1] = {}) =>
    request(address, { ...sent, headers: { ...headers, ...sent.headers } })
  const report = async (href: string, execution: string, finished: string, ...details: string[]) => {
    const body = JSON.stringify({ id: '1', time: '20260601T120000', status: { result: { finished }, execution, details } })
    const { status } = await ask(`${href}/feedback`, { method: 'POST', body })
    if (status !== 200) throw new Error(`${details.join()}: ${status}`)
  }
  const identify = async (data: Record<string, string>) => {
    const body = JSON.stringify({ mode: 'merge', data, id: '', time: '', status: { result: { finished: 'success' } } })
    const { status } = await ask(`${url}/DEFAULT/controller/v1/${id}/configData`, { method: 'PUT', body })
    if (status !== 200) throw new Error(`attributes were answered with ${status}`)
  }
  /** `cut`: the connection ends there, and the download is resumed. `fails`: RAUC refuses the bundle. */
  const poll = async ({ cut, fails }: { cut?: number; fails?: string } = {}): Promise<Buffer | null> => {
    const { body } = await ask(`${url}/DEFAULT/controller/v1/${id}`)
    const cancel = hrefOf(body.toString(), 'cancelAction')
    if (cancel !== undefined) {
      await report(cancel, 'closed', 'success', 'Action canceled.')
      return null
    }
    const deployment = hrefOf(body.toString(), 'deploymentBase')
    if (deployment === undefined) return null
    const described = (await ask(deployment)).body.toString()
    const file = hrefOf(described, 'download') ?? ''
    const size = Number(/"size":(\d+)/.exec(described)?.[1])
    let bytes =
      cut === undefined
        ? (await ask(file)).body
        : Buffer.concat([
            (await ask(file, { headers: { Range: `bytes=0-${cut - 1}` } })).body,
            (await ask(file, { headers: { Range: `bytes=${cut}-` } })).body,
          ])
    const beyond = await ask(file, { headers: { Range: `bytes=${size}-` } })
    if (beyond.status !== 416) throw new Error(`beyond the end: ${beyond.status}`)
    await report(deployment, 'proceeding', 'none', 'Download complete. 10.00 MB/s')
    const sha1 = /"sha1":"(\w{40})"/.exec(described)?.[1]
    if (createHash('sha1').update(bytes).digest('hex') !== sha1) bytes = Buffer.alloc(0)
    await report(deployment, 'proceeding', 'none', 'File checksum OK.')
    await report(deployment, 'proceeding', 'none', 'installing')
    for (const line of ['0% Installing', '20% Checking bundle', '40% Checking bundle done.', '99% Updating slots'])
      await report(deployment, 'proceeding', 'none', line)
    if (fails === undefined) await report(deployment, 'closed', 'success', 'Software bundle installed successfully.')
    else await report(deployment, 'closed', 'failure', fails)
    return bytes
  }
  return { poll, identify }
}
