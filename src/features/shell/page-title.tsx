import { useMatches } from '@tanstack/react-router'
import { useEffect } from 'react'
import { product } from '../../../contract/limits'

/** The document's title: the label of the innermost place that has one. */
export const PageTitle = () => {
  const label = useMatches({ select: (matches) => matches.findLast((match) => match.staticData.label)?.staticData.label })
  useEffect(() => {
    document.title = label === undefined ? product.name : `${label} · ${product.name}`
  }, [label])
  return null
}
