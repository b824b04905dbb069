import { expect, it } from 'vitest'
import { isDrawn } from '../ui/layout/shape'
import { cellShapes } from './cell-shapes'

const named = Object.keys(cellShapes).flatMap((rule) => /^&\[data-shape=(\w+)\]/.exec(rule)?.[1] ?? [])

it('a cell draws the shapes that are said to be drawn, and no other', () => {
  const names = ['online', 'late', 'offline', 'never', 'success', 'error', 'warning', 'info', 'running', 'waiting'] as const
  const others = ['back', 'none', 'paused', 'notreached', 'draft'] as const
  expect(named.toSorted()).toEqual([...names, ...others].filter((name) => isDrawn(name)).toSorted())
})
