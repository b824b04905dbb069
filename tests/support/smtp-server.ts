import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type ParsedMail, simpleParser } from 'mailparser'
import { freePort } from './free-port'

const script = fileURLToPath(new URL('smtp-server-process.mjs', import.meta.url))

type Question =
  | { id: number; kind: 'connection' }
  | { id: number; kind: 'recipient'; address: string }
  /** `source`: its bytes as Latin-1. */
  | { id: number; kind: 'mail'; source: string }
type Message = Question | { finished: string }

/**
 * A real SMTP server on loopback, in a process of its own. Its mails are parsed here, before their sender has the answer. It can stop,
 * and come back at the same address.
 */
export const startSmtpServer = async () => {
  const port = await freePort()
  const mails: ParsedMail[] = []
  const state: { refused: Set<string>; full: boolean; hold: (() => void) | undefined; connections: number } = {
    refused: new Set(),
    full: false,
    hold: undefined,
    connections: 0,
  }
  const child = fork(script, { env: { ...process.env, MAIL_PORT: String(port) }, execArgv: [] })
  const answer = ({ id }: Question, refused?: { code: number; text: string }) => void child.send({ id, refused })
  const decide = async (question: Question) => {
    if (question.kind === 'connection') {
      state.connections += 1
      return answer(question)
    }
    if (question.kind === 'recipient') {
      if (state.refused.has(question.address)) return answer(question, { code: 550, text: 'no such mailbox' })
      return answer(question, state.full ? { code: 452, text: 'try again later' } : undefined)
    }
    const mail = await simpleParser(Buffer.from(question.source, 'latin1'))
    // An answer that never comes: the sender cannot know that the mail was taken.
    if (state.hold) return state.hold()
    mails.push(mail)
    return answer(question)
  }
  child.on('message', (message: Message) => {
    if (!('finished' in message)) void decide(message)
  })
  const order = (command: 'open' | 'stop') =>
    new Promise<void>((resolve) => {
      const hear = (message: Message) => {
        if (!('finished' in message) || message.finished !== command) return
        child.off('message', hear)
        resolve()
      }
      child.on('message', hear)
      child.send({ command })
    })
  await order('open')
  return {
    url: `smtp://127.0.0.1:${port}/?ignoreTLS=true`,
    /** Every accepted mail. */
    mails,
    to: (address: string) =>
      mails.filter(({ to }) => [to].flat().some((one) => one?.value.some((each) => each.address === address))),
    state,
    /** Refuses connections until `restart`. */
    pause: () => order('stop'),
    restart: () => order('open'),
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
