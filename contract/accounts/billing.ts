/** §9: two prices and two portals. Local and staging share the test pair, production has the live one. */
export const billingPairs = {
  test: { price: 'price_test_production', portal: 'https://billing.teasel.example/p/test' },
  live: { price: 'price_live_production', portal: 'https://billing.teasel.example/p/live' },
} as const
