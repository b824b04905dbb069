import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { Kbd } from '../../ui/text/badge'
import { Button } from '../../ui/button'
import { SearchInput } from '../../ui/form/input'
import { Banner, EmptyState } from '../../ui/layout/notice'
import { Page } from '../../ui/layout/page'
import { FailureBox } from '../failure/failure-box'
import type { FilterText } from './filter-text'
import type { List } from './list'
import { RefreshFailed } from '../refresh/refresh-failed'

const growing = css({ flex: { base: '1', md: 'none' }, w: { md: '232' } })
const withKeyboard = css({ hideBelow: 'md' })
const ownLine = css({ w: { base: 'full', md: '232' } })

type FilterProps = {
  label: string
  filter: FilterText
  /** Under 768 px the other tools wrap into the next line. */
  wraps?: boolean
  /** The key that leads to it, if the page listens to one. */
  shortcut?: string
}

/** The filter box of a list. */
export const ListFilter = ({ label, filter, wraps, shortcut }: FilterProps) => (
  <SearchInput
    small
    className={wraps ? ownLine : growing}
    label={label}
    aria-keyshortcuts={shortcut}
    end={
      shortcut !== undefined && (
        <Kbd className={withKeyboard} aria-hidden>
          {shortcut}
        </Kbd>
      )
    }
    {...filter.input}
  />
)

type Props = {
  list: List<unknown>
  /** Whether a filter is active. */
  filtered?: boolean
  onClear?: () => void
  /** The rows of tools above the list. */
  tools?: ReactNode
  /** Replaces tools and list while the list is empty without a filter. */
  emptyState?: ReactNode
  /** The empty state replaces only the list. */
  keepTools?: boolean
  children: ReactNode
}

/** A list with its tools, as a part of a page: a failure, an empty state, or the rows. */
export const ListSection = ({ list, filtered, onClear, tools, emptyState, keepTools, children }: Props) => {
  const failed = list.rows.length === 0 ? list.error : null
  // With a filter the tools stay: the server may have refused the filter.
  if (failed && !filtered) return <FailureBox error={failed} onRetry={list.retry} />
  const explained = list.isEmpty && !filtered && emptyState
  if (explained && !keepTools) return explained
  return (
    <>
      {!failed && !list.isMoreFailed && <RefreshFailed query={{ error: list.error, refetch: list.retry }} />}
      {tools}
      {failed ? (
        <FailureBox error={failed} onRetry={list.retry} />
      ) : (
        explained ||
        (list.isEmpty ? (
          <EmptyState small title="Not Found" action={filtered && <Button onClick={onClear}>Clear filters</Button>} />
        ) : (
          children
        ))
      )}
      {/* At the end of the rows, where the reader is. */}
      {list.isMoreFailed && (
        <Banner kind="error" action={{ label: 'Try again', onClick: list.loadMore }}>
          More rows could not be loaded.
        </Banner>
      )}
    </>
  )
}

/** A page that is a list under its head. */
export const ListPage = ({ head, ...section }: Props & { head: ReactNode }) => (
  <Page>
    {head}
    <ListSection {...section} />
  </Page>
)
