import { pino } from 'pino'
import { createNotifications } from '../../server/accounts/notifications/create'
import { sendNotificationMails } from '../../server/accounts/notifications/send'
import { readConfig } from '../../server/core/config'
import { openDatabase, requestLimits } from '../../server/core/database/open'
import { openMailer } from '../../server/core/mail/mailer'
import { openStorage } from '../../server/core/storage/open-storage'
import { countDevicesOfPlan } from '../../server/fleet/devices/repository'
import { findAskers } from '../../server/updates/rollouts/offer/askers.repository'

// One run of the jobs of notifications in its own process, for tests that kill it: the time is the argument.
const [, , time = ''] = process.argv
const config = readConfig()
const { db, pool, close } = openDatabase({
  url: config.databaseUrl ?? '',
  onError: () => {},
  ...requestLimits(config),
  connections: 2,
})
const storage = await openStorage(config.storage)
const log = pino({ level: 'silent' })
const deps = { config, db, pool, log, clock: () => new Date(time), storage, mail: openMailer(config) }
await createNotifications(deps, { findAskers, countDevices: countDevicesOfPlan })
await sendNotificationMails(deps)
await close()
