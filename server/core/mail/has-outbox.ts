import type { Config } from '../config'

/** Mails hold live links, so they are shown only where nothing but this machine reaches the hosts and no mail server takes them. */
export const hasOutbox = ({ loopbackOnly, smtpUrl }: Config): boolean => loopbackOnly && smtpUrl === undefined
