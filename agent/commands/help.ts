export const help = `teasel-agent: keeps a device up to date with signed releases

  teasel-agent --config FILE [--once]
      Runs the agent with a device.json made by the console's config generator. It enrolls, asks for updates,
      downloads, verifies, installs, confirms or goes back, and reports. --once checks a single time and ends.

  teasel-agent keygen --out DIR [--name NAME] [--algorithm ed25519|ecdsa-p256]
      Makes a key pair: NAME.key.pem (PKCS#8, readable by its owner only) and NAME.pub.pem, and prints the
      fingerprint and the entry for "public_keys" of a device.json. NAME is "release" unless said otherwise.

  teasel-agent sign --key FILE --manifest FILE|- [--out FILE] [--envelope]
      Signs the canonical bytes of a manifest and prints the signature in base 64, or with --envelope the whole
      envelope (DSSE) that devices take. "-" reads the manifest from standard input.

  teasel-agent verify --public-key FILE --envelope FILE|-
      Says whether the key signed the envelope, and prints the manifest.

  teasel-agent sign --key FILE --file FILE --out FILE
  teasel-agent verify --public-key FILE --file FILE --signature FILE
      The same for any file with an Ed25519 key: 64 bytes over the file, apart from it.

  teasel-agent --help | --version

Exit codes: 0 done, 1 error, 2 bad configuration or usage, 3 refused update, 4 decommissioned.
`
