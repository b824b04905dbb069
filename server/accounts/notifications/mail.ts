import { product } from '../../../contract/core/limits'
import type { Mail } from '../../core/deps'
import { html, type Markup } from '../../core/html'
import { sanitizeText } from '../../core/plain-text'
import { subjectOf } from './describe'

/** One event in a mail; `url` of the console. */
type MailItem = { title: string; text: string; url: string | null }

type About = {
  to: string
  /** In order of time; not empty. */
  items: readonly MailItem[]
  /** Of the last item. */
  subject: string
  /** What the mail is about, and how it is ended; null for mails about the account, which always arrive. */
  project: { name: string; unsubscribeUrl: string; settingsUrl: string } | null
}

const maxTitle = 150
const maxText = 2000

// Names come from people and devices: a line of theirs must not look like one of the mail's.
const line = (text: string, most: number) => sanitizeText(text, most)

const textOf = ({ title, text, url }: MailItem) => `${title}\n\n${text}\n${url === null ? '' : `\n${url}\n`}`

const markupOf = ({ title, text, url }: MailItem): Markup =>
  html`<h2 style="font-size:18px;margin:0 0 8px">${title}</h2>
    <p style="margin:0 0 12px">${text}</p>
    ${url !== null && html`<p style="margin:0 0 24px"><a href="${url}">Open in ${product.name}</a></p>`}`

/** A mail with everything that has happened, as text and as HTML that needs nothing from elsewhere. */
export const toMail = ({ to, items: given, subject, project }: About): Mail => {
  const items = given.map(({ title, text, url }) => ({ title: line(title, maxTitle), text: line(text, maxText), url }))
  const name = project && line(project.name, maxTitle)
  const why = project
    ? `You get this mail because of your notification settings for the project ${name}.`
    : 'You get this mail because it is about the security of your account.'
  const ways = project
    ? `\nChange them: ${project.settingsUrl}\nUnsubscribe from mails about this project: ${project.unsubscribeUrl}\n`
    : '\n'
  const text = `${items.map(textOf).join('\n----\n\n')}\n-- \n${why}${ways}`
  const markup = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${subjectOf(line(subject, maxTitle), items.length - 1)}</title>
      </head>
      <body style="font-family:sans-serif;font-size:15px;line-height:1.5;max-width:600px">
        ${items.map(markupOf)}
        <p style="font-size:13px">
          ${why}
          ${
            project !== null &&
            html`<br /><a href="${project.settingsUrl}">Change them</a>, or
              <a href="${project.unsubscribeUrl}">unsubscribe</a> from mails about this project.`
          }
        </p>
      </body>
    </html>`
  return {
    to,
    subject: subjectOf(line(subject, maxTitle), items.length - 1),
    text,
    html: markup.text,
    headers: {
      // RFC 3834: no automatic answers.
      'Auto-Submitted': 'auto-generated',
      // RFC 8058: one POST without a page ends the mails.
      ...(project && {
        'List-Unsubscribe': `<${project.unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}
