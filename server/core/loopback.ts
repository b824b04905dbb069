import { isPrivateHost } from '../../contract/device/config-fields'

/** The host names of URLs that lead to this machine alone. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** Whether a listener on this address is reachable from this machine only. */
export const isLoopback = (bind: string) => ['localhost', '127.0.0.1', '::1'].includes(bind)

type Installation = { environment: string; bind: string; urls: Readonly<Record<string, string>> }

/** Whether the installation is reachable from this machine only: required for the demo, `/outbox` and `/billing`. */
export const isLoopbackOnly = ({ environment, bind, urls }: Installation): boolean =>
  environment === 'local' && isLoopback(bind) && Object.values(urls).every((url) => loopbackHosts.includes(new URL(url).hostname))

/** The host whose URL must not be served in the local environment, because others could reach it; undefined if there is none. */
export const findPublicUrl = ({ environment, urls }: Omit<Installation, 'bind'>): string | undefined =>
  environment === 'local' ? Object.keys(urls).find((host) => !isPrivateHost(new URL(urls[host] ?? '').hostname)) : undefined
