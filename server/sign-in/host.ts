import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Deps } from '../core/deps'
import type { Markup } from '../core/html'
import { page } from './page'
import type { Passwords } from '../core/passwords/passwords'

/** What the route modules of the sign-in host need. */
export type SignInHost = { app: FastifyInstance; deps: Deps; passwords: Passwords }

type Shown = { title: string; main: Markup; status?: number; wide?: boolean }

export const show = (reply: FastifyReply, { config }: Deps, { status = 200, ...shown }: Shown): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(page(config, shown))
