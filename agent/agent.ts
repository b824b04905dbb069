import type { DeviceConfig } from '../contract/device/config'
import type { CheckInAnswer } from '../contract/device/api'
import { assemble } from './assemble'
import { checkIn } from './check-in'
import { exitCodes } from './core/exit-codes'
import { client } from './core/version'
import { backoff, type Bounds, pauseAfter, pollBounds, wait } from './core/wait'
import { factsOf } from './device'
import { codeOf, type Ending, endingOf } from './ending'
import { enroll } from './enroll'
import { followProject } from './follow-project'
import { tryFallback } from './fallback'
import { type LocalRequest, strongerRequest } from './report/commands'
import { startReporter } from './report/reporter'
import { isUnknownToken, reasonOf, Refused } from './api-client/http'
import { checkInWithToken, returnToFormerToken, rotateToken } from './rotate-token'
import { takeKeyLists } from './take-key-lists'
import { considerOffer, resume } from './update/flow'
import { endUnknownTrial } from './update/mode-slot'
import { forgetLeftFiles, type Outcome } from './update/steps'

class Decommissioned extends Error {}

/**
 * Runs one agent until it is stopped, has to restart the device, or cannot continue. `source` is the content of device.json;
 * `bounds` limit every wait that the server requests.
 */
export const runAgent = async (
  config: DeviceConfig,
  source: unknown,
  stopping: AbortSignal,
  bounds: Bounds = pollBounds,
): Promise<Ending> => {
  const { device, become } = await assemble(config, source, stopping, bounds)
  const { api, clock, log, outbox, store } = device
  let pollIntervalS = config.polling_interval_s
  let failures = 0
  let last: Outcome | null = null
  /** What commands have asked for and no round has done. */
  let asked: LocalRequest = null

  const lookForUpdate = async (): Promise<Outcome | null> => {
    const { attempt, installed } = store.state
    // Installed and waiting for a restart by someone else: nothing to do in this run.
    if (attempt) return attempt.phase === 'rebooting' ? null : resume(device)
    const offer = await api.update(installed?.version ?? null, installed?.slot ?? null, stopping)
    if ('envelope' in offer) return considerOffer(device, offer.envelope, offer.rolloutId, config.server_url)
    if (offer.pollIntervalS !== null) pollIntervalS = offer.pollIntervalS
    log.debug(`No update: ${offer.reason}`)
    return null
  }

  /** Takes key lists, and reports at once that it holds them: people wait for that before they retire a key. */
  const followKeyLists = async (answer: CheckInAnswer): Promise<CheckInAnswer> => {
    const { attempt } = store.state
    // An installation that has begun is finished or rolled back with the keys that accepted it.
    if (answer.key_list_available !== true || (attempt && attempt.phase !== 'accepted')) return answer
    const { projectId } = factsOf(device)
    const note = (level: 'notice' | 'err', text: string) => log[level](text)
    const list = await takeKeyLists({ api, trust: device.trust, projectId, stopping, note })
    if (!list) return answer
    if (projectId === null) store.change({ project_id: list.project_id })
    return checkIn(device)
  }

  /** Carries out the commands received so far, before a later call of the round can fail; whether the device has to restart. */
  const runCommands = async (): Promise<boolean> => {
    asked = strongerRequest(asked, await device.commands.run(device))
    return asked === 'reboot'
  }

  /**
   * Continues an installation without a network. While it cannot, because the disk cannot be written for instance, people still see
   * the device and reach it by commands.
   */
  const resumeInContact = async (): Promise<Outcome> => {
    try {
      return await resume(device)
    } catch (error) {
      if (stopping.aborted || !device.identity()) throw error
      log.warning(`The update cannot continue: ${reasonOf(error)}`)
      await checkInWithToken(device, become)
      if (await runCommands()) return 'reboot'
      await outbox.flush(api, stopping)
      throw error
    }
  }

  /** One poll of the server. */
  const round = async (): Promise<Ending | null> => {
    if (!device.identity()) {
      const enrolled = await enroll(device)
      become(enrolled.identity)
      if (enrolled.pending) log.notice('Waiting to be accepted')
    }
    const first = await checkInWithToken(device, become)
    if (await runCommands()) return { reboot: true }
    const answer = await followKeyLists(await followProject(device, first))
    if (await runCommands()) return { reboot: true }
    clock.follow(answer.server_time_ms)
    pollIntervalS = answer.polling_interval_s
    log.setLevel(answer.log_level ?? config.log_level)
    await rotateToken(device, become)
    await outbox.flush(api, stopping)
    if (!answer.update_available && asked !== 'check_now' && !store.state.attempt) return null
    asked = null
    last = await lookForUpdate()
    await outbox.flush(api, stopping)
    return endingOf(last)
  }

  const afterTrouble = async (error: unknown): Promise<Ending | null> => {
    if (error instanceof Refused && error.code === 'decommissioned') throw new Decommissioned(error.message)
    failures++
    log.warning(
      error instanceof Refused ? `The server refused: ${error.message} (${error.status} ${error.code})` : reasonOf(error),
    )
    if (isUnknownToken(error) && device.identity() && !returnToFormerToken(device, become)) {
      if (config.enrollment_token === undefined)
        log.warning('The device token is no longer valid: issue a new one in the console, put it into device.json and restart')
      else {
        log.notice('The device token is no longer valid; enrolling again')
        become(null)
      }
    }
    const outcome = await tryFallback(device, error).catch((reason: unknown) => {
      log.warning(`The fallback manifest was not tried: ${reasonOf(reason)}`)
      return null
    })
    last = outcome ?? last
    return endingOf(outcome)
  }

  const pause = (trouble: unknown): number => {
    if (trouble === null) return pollIntervalS * 1000 * (0.95 + Math.random() / 10)
    const asked = trouble instanceof Refused ? trouble.retryAfterMs : null
    // A problem that a person must fix waits for the next poll; others are retried sooner.
    const patient = trouble instanceof Refused && trouble.status < 500 && trouble.status !== 429 && device.identity() !== null
    const own = patient ? pollIntervalS * 1000 : backoff(failures, 1000, Math.min(pollIntervalS * 1000, 300_000))
    return pauseAfter(own, asked)
  }

  const loop = async (): Promise<Ending> => {
    endUnknownTrial(device)
    forgetLeftFiles(device)
    // The restart after a rollback failed: the failed release still runs from the slot that the next update would write.
    if (store.state.failed_in_boot === device.bootId) return { reboot: true }
    const hasBegun = () => store.state.attempt !== null && store.state.attempt.phase !== 'accepted'
    let isInstalling = hasBegun()
    while (!stopping.aborted) {
      let trouble: unknown = null
      try {
        // An installation that has begun continues first, without a network. It fails while the state cannot be written.
        if (isInstalling) {
          last = await resumeInContact()
          isInstalling = false
          const ending = endingOf(last)
          if (ending) return ending
        }
        const ending = await round()
        if (ending) return ending
        failures = 0
      } catch (error) {
        if (stopping.aborted) break
        trouble = error
        isInstalling = hasBegun()
        const ending = await afterTrouble(error)
        if (ending) return ending
      }
      if (config.single_check) return { exit: codeOf(last, trouble) }
      await wait(pause(trouble), stopping)
    }
    return { exit: exitCodes.done }
  }

  log.notice(`${client.name} ${client.version} started for ${config.server_url}`)
  if (/^\/tmp(?:\/|$)/.test(config.persistent_directory)) log.warning('State in /tmp is lost at reboot')
  const reporter = startReporter(device)
  try {
    return await loop()
  } catch (error) {
    if (!(error instanceof Decommissioned)) throw error
    log.notice('This device is decommissioned; the agent stops')
    return { exit: exitCodes.decommissioned }
  } finally {
    reporter.stop()
    if (device.identity()) {
      await outbox.flushWithin(api, 3000)
      await Promise.race([reporter.flush(), wait(2000)])
    }
  }
}
