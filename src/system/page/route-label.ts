import { useMatches } from '@tanstack/react-router'

/** The label of the innermost route that has one: for the document's title, and the head of a page that failed. */
export const useRouteLabel = (): string | undefined =>
  useMatches({ select: (matches) => matches.findLast((match) => match.staticData.label)?.staticData.label })
