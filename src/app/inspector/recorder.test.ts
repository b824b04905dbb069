import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActor, fromPromise, SimulatedClock } from 'xstate'
import type { FieldError } from '../../../contract/core/field-errors'
import { type Arrival, authMachine } from '../../../machines/auth/auth.machine'
import { chunkReloadMachine } from '../../../machines/chunk-reload/chunk-reload.machine'
import { charts } from '../../../machines/draw/charts'
import { formMachine } from '../../../machines/form/form.machine'
import { modalsMachine } from '../../../machines/modals/modals.machine'
import { organizationMachine } from '../../../machines/organization/organization.machine'
import { questionnaireMachine } from '../../../machines/questionnaire/questionnaire.machine'
import { uploadPanelMachine } from '../../../machines/upload-panel/upload-panel.machine'
import { changesOf } from './changes'
import { shownOf } from './charts'
import { createRecorder } from './recorder'
import { shown } from './visibility'
import { flag } from './redaction'

const record = () => {
  const recorder = createRecorder(() => new Date(0))
  const clock = new SimulatedClock()
  const watched = { inspect: recorder.hear, clock }
  const last = () => recorder.current().entries.at(-1)
  return { recorder, clock, watched, last }
}
const answered = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('recorded data', () => {
  it('records the event, the new state and the transition of a chart', () => {
    const { recorder, clock, watched, last } = record()
    const actor = createActor(chunkReloadMachine, { input: { reloaded: false }, ...watched }).start()
    actor.send({ type: 'chunk.missing' })
    expect(last()).toMatchObject({ chart: 'chunkReload', from: ['current'], to: ['announcing'], does: ['emit reload.announced'] })
    const [chart] = recorder.current().charts
    expect(chart).toMatchObject({
      states: ['announcing'],
      last: ['chunkReload.current → chunkReload.announcing'],
      waits: ['after reloadDelay 1500 ms'],
    })
    clock.increment(1499)
    expect(last()?.to).toEqual(['announcing'])
    clock.increment(1)
    expect(last()).toMatchObject({ event: { name: 'after reloadDelay' }, from: ['announcing'], to: ['reloading.begun'] })
    expect(changesOf(last()!.before, last()!.after)).toEqual([{ path: 'reloaded', before: 'false', after: 'true' }])
  })

  it('lists running actors, and keeps ended ones only in the log', () => {
    const { recorder, watched } = record()
    const actor = createActor(formMachine, watched).start()
    expect(recorder.current().charts.map(({ name }) => name)).toEqual(['form'])
    actor.stop()
    expect(recorder.current().charts).toEqual([])
    expect(recorder.current().entries.map(({ event }) => event.name)).toEqual(['start', 'stop'])
  })
})

describe('data that is not recorded', () => {
  const token = `ses_${'k'.repeat(43)}4x7QzP`
  const secrets = [token, '4x7QzP', 'ines.marlow@hedgerow.example', 'Ines Marlow', 'Boot archaeologist', 'unreleased-gateway.bin']
  const [, tag, email, person, role, fileName] = secrets as [string, string, string, string, string, string]
  const failure = {
    status: 422,
    code: 'invalid',
    message: email,
    details: [{ field: `name.${role}`, code: 'taken', message: person }],
  }

  it('tokens, their tags, e-mails, names, what was typed and file names', async () => {
    const { recorder, watched } = record()
    const auth = createActor(
      authMachine.provide({ actors: { arrival: fromPromise<Arrival, void>(async () => ({ found: 'token', sessionTag: tag })) } }),
      watched,
    ).start()
    await answered()
    auth.send({ type: 'token.changedElsewhere', sessionTag: token })

    const organization = createActor(organizationMachine, watched).start()
    organization.send({ type: 'route.entered', scope: email })

    const questionnaire = createActor(questionnaireMachine, watched).start()
    questionnaire.send({ type: 'role.chosen', role })

    const form = createActor(
      formMachine.provide({
        actors: { validation: fromPromise<FieldError[], void>(async () => []), save: fromPromise(() => Promise.reject(failure)) },
      }),
      watched,
    ).start()
    form.send({ type: 'form.submitted' })
    await answered()
    await answered()
    expect(form.getSnapshot().context.problems[0]?.message).toBe(person)

    const panel = createActor(uploadPanelMachine, watched).start()
    const facts = { id: email, name: fileName, size: 1, type: role, purpose: 'import' as const, targetId: token }
    panel.send({ type: 'files.chosen', files: [facts] })

    const modals = createActor(modalsMachine, watched).start()
    modals.send({ type: 'modal.opened', modal: { id: person, kind: 'plain', title: `Remove ${person}?` } })
    // An unlisted property may contain anything.
    modals.send(JSON.parse(JSON.stringify({ type: 'modals.closed', note: token })))

    const kept = JSON.stringify(recorder.current())
    for (const chart of ['auth', 'organization', 'questionnaire', 'form', 'uploadPanel', 'upload', 'modals'])
      expect(kept).toContain(`"chart":"${chart}"`)
    expect(secrets.filter((secret) => kept.includes(secret))).toEqual([])
    for (const actor of [auth, organization, questionnaire, form, panel, modals]) actor.stop()
  })

  it('a field without a redaction rule does not compile', () => {
    const { model, events } = shownOf('chunkReload')!
    // @ts-expect-error -- `working` is missing
    shown(chunkReloadMachine, { model, context: { reloaded: flag }, events })
  })
})

it('every chart of the console can be inspected', () => {
  const ofTheServer = ['release', 'rollout', 'deviceUpdate', 'secureBoot', 'fuseStep']
  const unseen = charts.map(({ machine }) => machine.id).filter((id) => shownOf(id) === undefined)
  expect(unseen).toEqual(ofTheServer)
})

it('every actor of the console is created with inspection', async () => {
  const files = (await readdir('src', { recursive: true })).filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(join('src', file), 'utf8') })))
  const makers = texts.filter(({ text }) => /\b(createActor|useActorRef|useMachine|useActor)\(/.test(text))
  expect(makers.length).toBeGreaterThan(5)
  expect(makers.filter(({ text }) => !/\bactorOptions,?\s*\}?\)/.test(text)).map(({ file }) => file)).toEqual([])
})
