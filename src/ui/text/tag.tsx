import type { ReactNode } from 'react'
import { css, cx } from 'styled-system/css'
import { tag } from 'styled-system/recipes'
import type { TagColor } from './kind'

export const Tag = ({ color, children }: { color: TagColor; children: ReactNode }) => (
  <span className={tag()} data-tag={color}>
    {children}
  </span>
)

const list = css({ display: 'inline-flex', alignItems: 'center', gap: '4', minW: '0', maxW: 'full', verticalAlign: 'middle' })
const wrapped = css({ flexWrap: 'wrap' })
const rest = css({ textStyle: 'caption', color: 'muted', flexShrink: '0' })

type TagsProps = {
  tags: readonly { id: string; name: string; colour: TagColor }[]
  /** How many fit; the others are counted, and named on hover. */
  most?: number
}

export const Tags = ({ tags, most = tags.length }: TagsProps) => (
  <span className={most < tags.length ? list : cx(list, wrapped)} title={tags.map(({ name }) => name).join(', ')}>
    {tags.slice(0, most).map(({ id, name, colour }) => (
      <Tag key={id} color={colour}>
        {name}
      </Tag>
    ))}
    {most < tags.length && <span className={rest}>+{tags.length - most}</span>}
  </span>
)
