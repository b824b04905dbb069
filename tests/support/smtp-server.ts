import { once } from 'node:events'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { freePort } from './free-port'

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

/** A real SMTP server on loopback, which parses the mails that it accepts. It can stop, and come back at the same address. */
export const startSmtpServer = async () => {
  const port = await freePort()
  const mails: ParsedMail[] = []
  const state: { refused: Set<string>; full: boolean; hold: (() => void) | undefined; connections: number } = {
    refused: new Set(),
    full: false,
    hold: undefined,
    connections: 0,
  }
  const open = async () => {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onConnect: (_session, done) => {
        state.connections += 1
        done()
      },
      onRcptTo: ({ address }, _session, done) =>
        done(
          state.refused.has(address) ? refusal(550, 'no such mailbox') : state.full ? refusal(452, 'try again later') : undefined,
        ),
      onData: (stream, _session, done) => {
        void simpleParser(stream).then((mail) => {
          // An answer that never comes: the sender cannot know that the mail was taken.
          if (state.hold) return state.hold()
          mails.push(mail)
          return done()
        })
      },
    })
    // A client that is killed breaks its connection.
    server.on('error', () => {})
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
    return server
  }
  let server: SMTPServer | undefined = await open()
  const stop = async () => {
    const ending = server
    server = undefined
    await new Promise<void>((resolve) => (ending ? ending.close(resolve) : resolve()))
  }
  return {
    url: `smtp://127.0.0.1:${port}/?ignoreTLS=true`,
    /** Every accepted mail. */
    mails,
    to: (address: string) =>
      mails.filter(({ to }) => [to].flat().some((one) => one?.value.some((each) => each.address === address))),
    state,
    stop,
    restart: async () => {
      server = await open()
    },
  }
}
