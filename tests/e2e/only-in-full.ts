/** Test files that only `npm run test:full` runs, each with its reason. What they prove of the specification others prove too. */
export const onlyInFull: Readonly<Record<string, string>> = {
  'tests/e2e/at-scale.test.ts': 'lists, bulk changes and logs with a whole fleet; each is tested with a small one too',
  'tests/e2e/behind-haproxy.test.ts': 'kills and restarts behind haproxy; rolling-restart.test.ts and kill.test.ts do it without',
  'tests/e2e/emergency.test.ts': 'the story of way-back.test.ts with 50 devices',
  'tests/e2e/fleet-ground-truth.test.ts': 'tests/api/ground-truth.test.ts asks the same of the same fleet, without its processes',
  'tests/e2e/pipeline.test.ts': 'the jobs of docs/ci.md over a broken line; the commands have their own tests',
  'tests/e2e/refused-controls.test.ts': 'each control that a viewer is refused, over all routes',
  'tests/e2e/webhook-outages.test.ts': 'kills of all processes while webhooks are sent',
}
