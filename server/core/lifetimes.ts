/** How long things are valid or kept; the unit is in the name. The intervals of the jobs are in jobs.ts. */
export const lifetimes = {
  signInCodeS: 60,
  /** From the sign-in host to the console and back, without a second question. */
  continuingS: 60,
  /** A used code that is sent again ends its session: someone else has seen it. So it is kept after it expires. */
  usedSignInCodeS: 86_400,
  /** From the correct password to the second factor. */
  signInStepS: 600,
  /** From the redirect to the identity provider to the way back; also from there to the proof of an existing account. */
  identityRequestS: 600,
  /** The metadata of the identity provider. */
  providerMetadataS: 60,
  /** The age of a logout token of the identity provider. */
  logoutTokenS: 300,
  passwordResetS: 3600,
  registrationS: 86_400,
  /** A second factor that was not confirmed by then. */
  factorSetUpS: 900,
  /** Failed sign-ins within this time count together. */
  attemptWindowS: 900,
  /** The last use of a session is written at most once in this time. */
  sessionTouchS: 60,
  idempotentAnswerS: 86_400,
  assetLinkS: 900,
  uploadDays: 7,
  /** Stored bytes without an asset or an open upload. */
  orphanedBytesDays: 1,
  enrollmentTokenMaxDays: 366,
  /** A device token after it was replaced. */
  replacedTokenDays: 1,
  /** A shared token is shown for so long after the last occurrence: two users of it would have alternated again by then. */
  tokenSharingDays: 1,
  pauseMaxDays: 366,
  /** A command that its device has not fetched. */
  queuedCommandDays: 1,
  /** Commands and boots of a device. */
  deviceHistoryDays: 90,
  /** Before a device that deferred an update is offered it again. */
  deferralS: 900,
  /** A browser that has not signed in for so long is unknown again. */
  knownBrowserDays: 365,
  /** A session or a sign-in after it has expired, for whoever looks into an incident. */
  expiredSessionDays: 30,
  /** The id of a billing event. Stripe repeats an event for three days, and by hand for thirty. */
  billingEventDays: 90,
  /** The age of a signed webhook of the payment provider. */
  webhookToleranceS: 300,
} as const
