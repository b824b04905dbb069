import { defineSlotRecipe } from '@pandacss/dev'

/** The anatomy of a page: head, actions, tool row, main and side column. */
export const page = defineSlotRecipe({
  className: 'page',
  slots: ['root', 'crumbs', 'head', 'title', 'count', 'filter', 'actions', 'tools', 'columns', 'main', 'side'],
  base: {
    root: {
      w: 'full',
      maxW: { base: 'full', '2xl': 'content' },
      px: { base: '16', md: '24' },
      pb: { base: '64', md: '40' },
      '&:has([data-bottom-bar]:not(:empty))': { mdDown: { pb: 'calc({sizes.pageHead} + {spacing.64})' } },
      '&[data-width=cards]': { maxW: { base: 'cards', '2xl': 'content' }, mx: 'auto' },
      '&[data-width=form]': { maxW: 'cards', mx: 'auto' },
    },
    crumbs: {
      display: 'flex',
      alignItems: 'center',
      gap: '4',
      pt: '12',
      textStyle: 'small',
      color: 'muted',
      '& li': { display: 'flex', alignItems: 'center', gap: '4', minW: '0' },
      '& a': { _hover: { color: 'text' } },
    },
    head: {
      display: 'flex',
      alignItems: 'center',
      flexWrap: 'wrap',
      columnGap: '8',
      rowGap: '8',
      minH: 'pageHead',
      py: '8',
      '&[data-crumbs]': { minH: '40', pt: '4' },
    },
    title: {
      display: 'flex',
      alignItems: 'baseline',
      flexWrap: 'wrap',
      gap: '8',
      minW: '0',
      overflowWrap: 'anywhere',
      textStyle: 'title',
      '&[data-mono]': { textStyle: 'monoTitle' },
      '& code': { textStyle: 'monoTitle' },
    },
    count: { fontSize: '0.875rem', fontWeight: 'regular', color: 'muted', letterSpacing: 'normal' },
    // Beside the actions; under 768 a line of its own.
    filter: { order: { base: 1, md: 0 }, w: { base: 'full', md: '240' }, ml: { md: 'auto' }, '& + *': { ml: { md: '0' } } },
    actions: {
      ml: 'auto',
      display: 'flex',
      alignItems: 'center',
      gap: '8',
      // A detail's actions stand in a bar at the bottom of small screens.
      '&[data-bottom-bar]': {
        mdDown: {
          position: 'fixed',
          zIndex: 'side',
          bottom: '0',
          insetX: '0',
          h: 'pageHead',
          px: '16',
          bg: 'surface',
          borderTop: 'line',
          _empty: { display: 'none' },
          '& > *': { flex: '1' },
        },
      },
    },
    tools: { display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '8', pb: '16' },
    columns: {
      display: 'grid',
      gap: { base: '16', xl: '24' },
      gridTemplateColumns: { base: 'minmax(0, 1fr)', xl: 'minmax(0, 1fr) {sizes.side}' },
      alignItems: 'start',
    },
    main: { display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)', minW: '0' },
    side: {
      display: 'grid',
      gap: '16',
      gridTemplateColumns: 'minmax(0, 1fr)',
      minW: '0',
      '&[data-first]': { order: { base: '-1', xl: '0' } },
    },
  },
  staticCss: ['*'],
})
