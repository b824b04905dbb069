import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { tag } from 'styled-system/recipes'
import type { TagColor } from './kind'

export const Tag = ({ color, children }: { color: TagColor; children: ReactNode }) => (
  <span className={tag()} data-tag={color}>
    {children}
  </span>
)

const list = css({ display: 'inline-flex', gap: '4', minW: '0', overflow: 'hidden' })

export const Tags = ({ children }: { children: ReactNode }) => <span className={list}>{children}</span>
