import { type Infer, integer, number, type } from 'superstruct'

/** From which values of a metric a device is unhealthy. Apart from the rules of changes, which the first screen does not need. */
export const Threshold = type({ warning: number(), critical: number(), clear_after_s: integer() })
export type Threshold = Infer<typeof Threshold>
export type Thresholds = Record<string, Threshold>
