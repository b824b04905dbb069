import { isPrivateHost } from '../../contract/device/config'

/** The host names of URLs that lead to this machine alone. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** Whether what listens on this address is reached from this machine alone. */
export const isLoopback = (bind: string) => ['localhost', '127.0.0.1', '::1'].includes(bind)

type Installation = { environment: string; bind: string; urls: Readonly<Record<string, string>> }

/** Whether nothing but this machine reaches the installation: only then are there a demo, `/outbox` and `/billing`. */
export const isLoopbackOnly = ({ environment, bind, urls }: Installation): boolean =>
  environment === 'local' && isLoopback(bind) && Object.values(urls).every((url) => loopbackHosts.includes(new URL(url).hostname))

/** The name of the host whose URL may not be served in the local environment, because strangers could reach it. */
export const findPublicUrl = ({ environment, urls }: Omit<Installation, 'bind'>): string | undefined =>
  environment === 'local' ? Object.keys(urls).find((host) => !isPrivateHost(new URL(urls[host] ?? '').hostname)) : undefined
