import { notFound } from '../core/http/refuse'
import { hasOutbox } from '../core/mail/has-outbox'
import { listNewestMails } from '../core/mail/repository'
import { formatTimestamp } from '../core/timestamps'
import { show, type SignInHost } from './host'
import { html, type Markup } from '../core/html'

const linked = (text: string, base: string): Markup[] =>
  text
    // Punctuation at the end of a sentence is not part of a URL.
    .split(/(https?:\/\/\S*[^\s.,;])/)
    .map((part) => (part.startsWith(`${base}/`) ? html`<a href="${part}">${part}</a>` : html`${part}`))

export const outboxRoutes = ({ app, deps }: SignInHost): void => {
  const { db, config } = deps
  app.get('/outbox', async (_request, reply) => {
    if (!hasOutbox(config)) return notFound()
    const kept = await listNewestMails(db, 50)
    const items = kept.map(
      (mail) =>
        html`<li>
          <h2>${mail.subject}</h2>
          <p>to ${mail.to} · <code>${formatTimestamp(mail.createdAt).slice(0, 19).replace('T', ' ')} UTC</code></p>
          ${
            mail.text === ''
              ? html`<p class="hint">The text was removed: its link was used, or the mail is older than a day.</p>`
              : html`<pre>${linked(mail.text, config.urls['sign-in'])}</pre>`
          }
        </li>`,
    )
    const main = html`<h1>Outbox</h1>
      <p>Mails that this server would have sent, newest first.</p>
      ${
        items.length === 0
          ? html`<p class="after">No mails yet</p>`
          : html`<ul class="mails">
              ${items}
            </ul>`
      }`
    return show(reply, deps, { title: 'Outbox', wide: true, main })
  })
}
