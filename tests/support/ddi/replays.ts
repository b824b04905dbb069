import { connect } from 'node:net'
import { createHash } from 'node:crypto'

// The requests of clients that Debian does not package, with the sizes of their buffers.

type Device = { url: string; id: string; authorization: string }
type Answer = { status: number; head: string; body: Buffer }

type Sent = { method?: string; headers?: Record<string, string>; body?: string; cut?: number }

/** One request on a connection of its own, as the small clients make it. `cut`: it ends after so many bytes of the answer. */
const request = (url: string, { method = 'GET', headers = {}, body = '', cut = Infinity }: Sent = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url)
    const socket = connect(Number(port || 80), hostname)
    const chunks: Buffer[] = []
    let received = 0
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      received += chunk.length
      if (received >= cut) socket.destroy()
    })
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

/** The seconds that an answer tells a client to sleep. */
const sleepOf = (root: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = (/"sleep":"([\d:]{8})"/.exec(root)?.[1] ?? '').split(':').map(Number)
  return 3600 * hours + 60 * minutes + seconds
}

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
  let told = 0
  const ask = async (address: string, sent: Parameters<typeof request>[1] = {}) => {
    const answer = await request(address, { ...sent, headers: { ...headers, ...sent.headers } })
    checkZephyr(answer)
    return answer
  }
  const report = async (href: string, execution: string, finished: string) => {
    const body = JSON.stringify({ id: '1', status: { execution, result: { finished }, details: [] } })
    const { status } = await ask(`${href.split('?')[0]}/feedback`, { method: 'POST', body })
    if (status !== 200) throw new Error(`a report was answered with ${status}`)
  }

  /** Polls until there is nothing left to do, as the client does at once after each answer. Returns the file if it got one. */
  const poll = async (): Promise<Buffer | null> => {
    for (let polls = 0; polls < 8; polls++) {
      const { status, body } = await ask(`${url}/DEFAULT/controller/v1/${id}`)
      if (status !== 200) throw new Error(`a poll was answered with ${status}`)
      const text = body.toString('utf8')
      told = sleepOf(text)
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
        const action = Number(/(\d+)(?:\?|$)/.exec(deployment)?.[1])
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
  return { poll, sleepS: () => told }
}

/**
 * rauc-hawkbit-updater with RAUC 1.8: sends its attributes where a poll asks for them, reports each step, and success before the
 * restart. A cancellation lets the download end and stops the installation. `facts`: the section [device] of its configuration.
 */
export const raucHawkbitUpdater = ({ url, id, authorization }: Device, facts: Record<string, string>) => {
  const json = 'application/json;charset=UTF-8'
  const ask = (address: string, { method = 'GET', accept = json, range = '', body = '', cut = Infinity } = {}) => {
    const headers = {
      'User-Agent': 'rauc-hawkbit-c-agent/1.0',
      Accept: accept,
      Authorization: authorization,
      ...(range !== '' && { Range: range }),
      ...(body !== '' && { 'Content-Type': json }),
    }
    return request(address, { method, headers, body, cut })
  }
  const send = async (method: 'POST' | 'PUT', address: string, content: object) => {
    const { status } = await ask(address, { method, body: JSON.stringify(content) })
    if (status !== 200) throw new Error(`${JSON.stringify(content)}: ${status}`)
  }
  const time = '20260601T120000'
  const report = (path: string, execution: string, finished: string, line: string) =>
    send('POST', `${url}/DEFAULT/controller/v1/${id}/${path}/feedback`, {
      id: /\d+$/.exec(path)?.[0],
      time,
      status: { result: { finished }, execution, details: [line] },
    })
  const follow = async (href: string, name: 'deploymentBase' | 'cancelAction') => {
    const { body } = await ask(href)
    return { described: body.toString(), path: `${name}/${/(\d+)(?:\?|$)/.exec(href)?.[1]}` }
  }
  const download = async (file: string, cut: number | undefined) => {
    const octets = 'application/octet-stream'
    const { body: first } = await ask(file, { accept: octets, ...(cut !== undefined && { cut }) })
    if (cut === undefined) return first
    const { body: rest } = await ask(file, { accept: octets, range: `bytes=${first.length}-` })
    return Buffer.concat([first, rest])
  }
  let told = 0
  const askRoot = async () => {
    const { body } = await ask(`${url}/DEFAULT/controller/v1/${id}`)
    told = sleepOf(body.toString())
    return body.toString()
  }

  /**
   * `cut`: the connection ends after so many bytes of the answer, and the download is resumed. `meanwhile`: happens while it
   * downloads. `fails`: why RAUC refuses the bundle.
   */
  const poll = async ({
    cut,
    meanwhile,
    fails,
  }: { cut?: number; meanwhile?: () => Promise<unknown>; fails?: string } = {}): Promise<Buffer | null> => {
    const root = await askRoot()
    if (hrefOf(root, 'configData') !== undefined)
      await send('PUT', `${url}/DEFAULT/controller/v1/${id}/configData`, {
        time,
        status: { result: { finished: 'success' }, execution: 'closed' },
        data: facts,
      })
    const deployment = hrefOf(root, 'deploymentBase')
    const cancel = hrefOf(root, 'cancelAction')
    if (cancel !== undefined) {
      const { path } = await follow(cancel, 'cancelAction')
      await report(path, 'closed', 'success', 'Action canceled.')
    }
    if (deployment === undefined) return null
    const { described, path } = await follow(deployment, 'deploymentBase')
    const bytes = await download(hrefOf(described, 'download') ?? '', cut)
    await meanwhile?.()
    // It polls every 5 s meanwhile, and answers when the download has ended.
    const asked = meanwhile && hrefOf(await askRoot(), 'cancelAction')
    const stop = asked === undefined ? undefined : await follow(asked, 'cancelAction')
    const proceed = (line: string) => report(path, 'proceeding', 'none', line)
    await proceed('Download complete. 10.00 MB/s')
    const sha1 = /"sha1":"(\w{40})"/.exec(described)?.[1]
    const own = createHash('sha1').update(bytes).digest('hex')
    if (own !== sha1) {
      await report(path, 'closed', 'failure', `Software: Firmware V1. Invalid checksum: ${own} expected ${sha1}`)
      return null
    }
    await proceed('File checksum OK.')
    if (stop) {
      await report(stop.path, 'closed', 'success', 'Action canceled.')
      return null
    }
    await proceed('installing')
    const steps = ['  0% Installing', ' 20% Checking bundle', ' 20% Verifying signature']
    const ends =
      fails === undefined
        ? [' 40% Checking bundle done.', ' 99% Updating slots done.', '100% Installing done.']
        : [' 40% Checking bundle failed.', '100% Installing failed.', `LastError: ${fails}`]
    for (const line of [...steps, ...ends, 'idle']) await proceed(line)
    if (fails === undefined) await report(path, 'closed', 'success', 'Software bundle installed successfully.')
    else await report(path, 'closed', 'failure', 'Failed to install software bundle.')
    return bytes
  }
  return { poll, sleepS: () => told }
}

/**
 * SWUpdate: sends its attributes at each start and when a poll links to them, does nothing else at that poll, and then sleeps. After
 * an installation it waits for its restart. `facts`: the section `identify` of its configuration.
 */
export const swupdate = ({ url, id, authorization }: Device, facts: Record<string, string>) => {
  const root = `${url}/DEFAULT/controller/v1/${id}`
  const headers = { 'User-Agent': 'libcurl-agent/1.0', Authorization: authorization, 'Content-Type': 'application/json' }
  let isToSend = true
  let isInstalled = false
  let told = 0
  const ask = async (address: string, method = 'GET', content?: object) => {
    const { status, body } = await request(address, { method, headers, ...(content && { body: JSON.stringify(content) }) })
    if (status !== 200) throw new Error(`${method} ${address}: ${status}`)
    return body
  }
  const askRoot = async () => {
    const text = (await ask(root)).toString()
    told = sleepOf(text)
    if (hrefOf(text, 'configData') !== undefined) isToSend = true
    return hrefOf(text, 'deploymentBase')
  }
  const report = (href: string, execution: string, finished: string, details: string[]) =>
    ask(`${href.split('?')[0]}/feedback`, 'POST', { id: '1', status: { execution, result: { finished }, details } })
  /** Returns the file if it got one. */
  const poll = async (): Promise<Buffer | null> => {
    const deployment = await askRoot()
    if (isToSend) {
      await ask(`${root}/configData`, 'PUT', { id: '', mode: 'replace', data: facts })
      isToSend = false
      return null
    }
    if (deployment === undefined || isInstalled) return null
    const described = (await ask(deployment)).toString()
    const bytes = await ask(hrefOf(described, 'download') ?? '')
    await report(deployment, 'proceeding', 'none', ['Installed Chunk.', 'All Chunks Installed.'])
    isInstalled = true
    return bytes
  }
  /** With `-c 2`, before its first poll. */
  const restart = async () => {
    isInstalled = false
    isToSend = true
    const deployment = await askRoot()
    if (deployment !== undefined) await report(deployment, 'closed', 'success', ['Update Installed.'])
  }
  return { poll, restart, sleepS: () => told }
}
