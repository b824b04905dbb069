import { defineSlotRecipe } from '@pandacss/dev'

/** A step of the guided tour: the highlighted element, with a card next to it. */
export const tour = defineSlotRecipe({
  className: 'tour',
  staticCss: ['*'],
  slots: ['layer', 'backdrop', 'spotlight', 'positioner', 'content', 'head', 'title', 'description', 'footer', 'progress'],
  base: {
    layer: { display: 'contents', '--tour-z-index': '{zIndex.tour}' },
    // Over the page only: header and side navigation stay visible and usable.
    backdrop: { zIndex: 'sticky', bg: 'scrim', _open: { animation: 'fadeIn' } },
    spotlight: { zIndex: 'tooltip', outline: 'tab' },
    content: {
      zIndex: 'tour',
      w: { base: '280', sm: '320' },
      p: '16',
      border: 'raised',
      borderRadius: '8',
      bg: 'raised',
      color: 'text',
      boxShadow: 'dialog',
      outline: 'none',
    },
    head: { display: 'flex', alignItems: 'flex-start', gap: '8', '& > button': { mt: '-4', mr: '-8', ml: 'auto' } },
    title: { textStyle: 'heading' },
    description: { mt: '4', color: 'text2' },
    footer: { display: 'flex', alignItems: 'center', gap: '8', mt: '16' },
    progress: { mr: 'auto', textStyle: 'small', color: 'muted' },
  },
})
