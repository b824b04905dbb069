import { expect, it } from 'vitest'
import { connectivityDisplay, healthDisplay } from '../lib/status-display'
import { cellShapes } from './cell-shapes'

const shapes = [
  ...['online', 'late', 'offline', 'never_seen'].map(connectivityDisplay),
  ...['healthy', 'warning', 'critical', 'unknown', 'a state of a newer server'].map(healthDisplay),
].map(({ shape }) => shape)

it('a cell draws the shape of each connectivity and each health', () => {
  expect(shapes.filter((shape) => !(`&[data-shape=${shape}]::before` in cellShapes))).toEqual([])
})
