import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** What happens to the next download: something before its first byte; its connection ends after so many bytes, or becomes slow. */
type Disturbance = { before?: () => Promise<unknown>; cutAt?: number; slowFrom?: number }

const pieceBytes = 1024
/** So that the rest of a slow download lasts longer than whatever it waits for, also on a busy machine. */
const slowPieceBytes = 64

/** A request as a client sent it. */
export type SentRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string }

/**
 * Stands between the program and the API: it cuts and slows downloads, and changes nothing else unless a test asks. A test that calls
 * `shortenSleeps` says nothing about times. The API must accept its address as a name, so that the links in the answers lead here too.
 */
export const openProxy = async (api: string, port: number) => {
  const { hostname, port: apiPort } = new URL(api)
  /** The ranges of the downloads so far; null for a whole file. */
  const ranges: (string | null)[] = []
  const requests: SentRequest[] = []
  let disturbance: Disturbance = {}
  let isSlow = false
  let isEnded = false
  let edit = (text: string) => text
  let shortensSleeps = false

  const passFile = async (answer: IncomingMessage, to: ServerResponse) => {
    const { before, cutAt = Infinity, slowFrom = Infinity } = disturbance
    disturbance = {}
    isSlow = false
    isEnded = false
    await before?.()
    to.writeHead(answer.statusCode ?? 502, answer.headers)
    let passed = 0
    for await (const chunk of answer as AsyncIterable<Buffer>)
      for (let at = 0; at < chunk.length;) {
        if (to.destroyed) return
        const piece = chunk.subarray(at, at + (passed < slowFrom || isEnded ? pieceBytes : slowPieceBytes))
        at += piece.length
        passed += piece.length
        to.write(piece)
        if (passed >= cutAt) return void setImmediate(() => to.destroy())
        if (passed >= slowFrom && !isEnded) {
          isSlow = true
          await pause(20)
        }
      }
    to.end()
  }

  const server = createServer((from, to) => {
    const passed = request({ hostname, port: apiPort, path: from.url, method: from.method, headers: from.headers }, (answer) => {
      if (from.method === 'GET' && from.url?.includes('/softwaremodules/')) {
        ranges.push(from.headers.range ?? null)
        // A connection that ends is what the program must bear.
        return void passFile(answer, to).catch(() => to.destroy())
      }
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        // Every edit keeps the length.
        to.writeHead(answer.statusCode ?? 502, answer.headers).end(
          edit(shortensSleeps ? text.replace(/"sleep":"[\d:]{8}"/, '"sleep":"00:00:01"') : text),
        )
      })
    })
    // The program was ended, or a download was cut.
    passed.on('error', () => to.destroy())
    to.on('close', () => passed.destroy())
    const sent: Buffer[] = []
    from.on('data', (chunk: Buffer) => sent.push(chunk))
    from.on('end', () => {
      const body = Buffer.concat(sent).toString('utf8')
      requests.push({ method: from.method ?? '', path: from.url ?? '', headers: from.headers, body })
    })
    from.pipe(passed)
  })
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  return {
    ranges,
    /** All requests so far. */
    requests,
    disturb: (next: Disturbance) => void (disturbance = next),
    isSlow: () => isSlow,
    /** The rest of a slow download is sent at once. */
    endSlow: () => void (isEnded = true),
    /** The program sleeps a second, whatever the API says, until `keepSleeps`. */
    shortenSleeps: () => void (shortensSleeps = true),
    keepSleeps: () => void (shortensSleeps = false),
    /** Changes answers that are no files. */
    editAnswers: (change: (text: string) => string) => void (edit = change),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
