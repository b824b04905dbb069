import { isPrivateHost } from '../../contract/device/config-fields'
import { tokenPattern } from '../../contract/accounts/sessions'
import { Usage } from './errors'

export type Connection = { server?: string; project?: string }

/** The origin of the API host. The token is sent in clear text over plain http: only on this machine or a private network. */
export const readOrigin = ({ server }: Connection): string => {
  const given = server ?? process.env['TEASEL_URL']
  if (given === undefined || given === '') throw new Usage('--server or TEASEL_URL is required: the address of the API host')
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new Usage('--server must be an address such as https://api.example.com')
  if (url.protocol === 'http:' && !isPrivateHost(url.hostname))
    throw new Usage('--server: plain http is allowed only on this machine or a private network')
  return url.origin
}

/** Never an argument: others on the machine can read those. */
export const readToken = (): string => {
  const token = process.env['TEASEL_TOKEN']?.trim()
  if (token === undefined || token === '')
    throw new Usage('The environment variable TEASEL_TOKEN is required: an access token of the project')
  if (!tokenPattern.test(token) || !token.startsWith('pat_')) throw new Usage('TEASEL_TOKEN is not an access token (pat_…)')
  return token
}

export const refuseTokenArguments = (args: readonly string[]): void => {
  if (args.some((arg) => /(?:ses|pat|enr|dvc)_[0-9A-Za-z]{49}/.test(arg)))
    throw new Usage('A token must not be an argument: others on the machine can read it. Set TEASEL_TOKEN')
}
