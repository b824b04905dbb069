import { existsSync } from 'node:fs'
import { say, timed } from '../../server/start/run.mjs'
import { canInstall, installPackages } from './debian.mjs'

const isThere = () => existsSync('/usr/bin/swupdate')

/** Gets Debian's swupdate, a client that the tests run against the API. Without it those tests are named as not run. */
export const findSwupdate = async () => {
  if (!isThere() && (await canInstall()))
    await timed('Installing swupdate from Debian', () => installPackages('swupdate', 'openssl')).catch((error) =>
      say(error.message),
    )
  say(isThere() ? 'swupdate: /usr/bin/swupdate' : 'swupdate: not installed, so the tests with it do not run')
}
