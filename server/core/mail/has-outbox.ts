import type { Config } from '../config'

/** Mails hold live links, so they are shown only where only this machine reaches the hosts and no mail server is configured. */
export const hasOutbox = ({ loopbackOnly, smtpUrl }: Config): boolean => loopbackOnly && smtpUrl === undefined
