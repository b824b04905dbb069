export const help = `teasel-agent: keeps a device up to date with signed releases

  teasel-agent --config FILE [--once]
      Runs the agent with a device.json from the console's config generator. It enrolls, asks for updates,
      downloads, verifies, installs, confirms or rolls back, and reports. --once checks once and exits.

  teasel-agent keygen --out DIR [--name NAME] [--algorithm ed25519|ecdsa-p256]
      Creates a key pair: NAME.key.pem (PKCS#8, readable by its owner only) and NAME.pub.pem, and prints the
      fingerprint and the entry for "public_keys" of a device.json. The default NAME is "release".

  teasel-agent sign --key FILE --manifest FILE|- [--out FILE] [--envelope]
      Signs the canonical bytes of a manifest and prints the signature in base 64, or with --envelope the whole
      envelope (DSSE) that devices accept. "-" reads the manifest from standard input.

  teasel-agent sign --key FILE --key-list FILE|- [--out FILE]
      Signs a key list with a key that devices trust now, and prints the signature in base 64. By that list devices
      replace the keys that they trust.

  teasel-agent verify --public-key FILE --envelope FILE|-
      Verifies the envelope with the key and prints the manifest.

  teasel-agent sign --key FILE --file FILE --out FILE
  teasel-agent verify --public-key FILE --file FILE --signature FILE
      The same for any file with an Ed25519 key. The signature is a separate file of 64 bytes.

  keygen, sign and verify are also commands of the command line teasel (keys generate, sign, verify).

  teasel-agent hawkbit-export --server URL --user USER --out FILE [--model MODEL] [--attributes]
      Reads all targets of a hawkBit server with their security tokens by its Management API, and writes the file for the
      import of devices. The password is the environment variable HAWKBIT_PASSWORD. The user needs READ_TARGET and
      READ_TARGET_SECURITY_TOKEN. --model is the hardware model of all of them; --attributes adds what they have
      reported, with one request for each.

  teasel-agent --help | --version

Exit codes: 0 done, 1 error, 2 bad configuration or usage, 3 refused update, 4 decommissioned.
`
