import type { CaptureResult } from 'posthog-js/dist/module.slim.no-external'

const events = new Set(['$pageview', 'Click'])
const kept = [
  'token',
  'distinct_id',
  '$device_id',
  '$session_id',
  '$window_id',
  '$lib',
  '$lib_version',
  '$process_person_profile',
  'name',
  'build',
]

/** T-26: the sent properties are listed here. The library would add the URL, the title and more. */
export const sent = (result: CaptureResult | null): CaptureResult | null => {
  if (result === null || !events.has(result.event)) return null
  const { uuid, event, properties, timestamp } = result
  const listed: Record<string, unknown> = Object.fromEntries(
    kept.flatMap((name) => (name in properties ? [[name, properties[name]]] : [])),
  )
  // The library's path contains ids: the route template replaces it.
  if (typeof properties.template === 'string') listed.$pathname = properties.template
  return { uuid, event, properties: listed, ...(timestamp && { timestamp }) }
}
