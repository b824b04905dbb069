// A mail server (smtp-server) in a process of its own. It asks the test what to answer, so that the test has a mail before its sender
// knows that it was taken.
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

const port = Number(process.env.MAIL_PORT)
const waiting = new Map()
let asked = 0
let server

/** The answer of the test, when it comes: nothing, or a refusal. */
const ask = (question, done) => {
  asked += 1
  waiting.set(asked, done)
  process.send({ id: asked, ...question })
}
const refusal = (refused) => refused && Object.assign(new Error(refused.text), { responseCode: refused.code })

const commands = {
  open: async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onConnect: (_session, done) => ask({ kind: 'connection' }, () => done()),
      onRcptTo: ({ address }, _session, done) => ask({ kind: 'recipient', address }, (refused) => done(refusal(refused))),
      onData: (stream, _session, done) => {
        void buffer(stream).then((bytes) => ask({ kind: 'mail', source: bytes.toString('latin1') }, () => done()))
      },
    })
    // A client that is killed breaks its connection.
    server.on('error', () => {})
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
  },
  stop: async () => {
    const ending = server
    server = undefined
    await new Promise((resolve) => (ending ? ending.close(resolve) : resolve()))
  },
}

process.on('message', (message) => {
  if (message.command) {
    void commands[message.command]().then(() => process.send({ finished: message.command }))
    return
  }
  waiting.get(message.id)?.(message.refused)
  waiting.delete(message.id)
})
// The test has ended.
process.on('disconnect', () => process.exit())
