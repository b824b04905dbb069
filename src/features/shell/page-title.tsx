import { useEffect } from 'react'
import { product } from '../../../contract/limits'
import { useRouteLabel } from '../../system/route-label'

/** The document's title: the label of the innermost route that has one. */
export const PageTitle = () => {
  const label = useRouteLabel()
  useEffect(() => {
    document.title = label === undefined ? product.name : `${label} · ${product.name}`
  }, [label])
  return null
}
