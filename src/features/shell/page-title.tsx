import { useMatches } from '@tanstack/react-router'
import { useEffect } from 'react'
import { product } from '../../../contract/core/limits'
import { useRouteLabel } from '../../system/page/route-label'

const nameOf = (loaded: unknown): string | undefined =>
  typeof loaded === 'object' && loaded !== null && 'name' in loaded && typeof loaded.name === 'string' ? loaded.name : undefined

/** The document's title: the name of the object that the page has loaded, and the label of the innermost route that has one. */
export const PageTitle = () => {
  const label = useRouteLabel()
  const name = useMatches({ select: (matches) => nameOf(matches.findLast(({ loaderData }) => nameOf(loaderData))?.loaderData) })
  useEffect(() => {
    document.title = [name, label, product.name].filter((part) => part !== undefined).join(' · ')
  }, [name, label])
  return null
}
