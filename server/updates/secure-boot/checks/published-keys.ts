/**
 * Keys whose private halves are published, by the SHA-256 of their SubjectPublicKeyInfo: each computed with OpenSSL from the file
 * of the repository at the commit that the source names. Anyone can sign with them.
 */
const published: readonly { source: string; keys: Readonly<Record<string, string>> }[] = [
  {
    source: 'github.com/mcu-tools/mcuboot at 2d4bacc3',
    keys: {
      '3c23fc4e1d332a0c86e6a8bf6ecf26046d702302e135bf53fc04a009a33a78c5': 'MCUboot enc-ec256-priv.pem',
      '95ac5d264689fa25b14a87a9bc950abfb1a77e5e628e7b13b5f1940c9a1c65b8': 'MCUboot enc-rsa2048-priv.pem',
      e30466f6b8470c1f29070b17f1e2d3e94d445e3f608087fdc711e4382bb538b6: 'MCUboot root-ec-p256.pem',
      '6bcd1e16d80e5fe13a5307e6f1de8344c7e50e537d9962ce35ef6db5e642fae8': 'MCUboot root-ec-p384.pem',
      '6754edab1e29affef4a05935adecbeb1a7b8b62397b31e39a61b5bfcaafd63af': 'MCUboot root-ed25519-2.pem',
      c1907fa4eac7fae3840a78902b6f0710b037e9968e5c6274a12a28790c7d4e3c: 'MCUboot root-ed25519.pem',
      a14bcb1bf9bb821146ba32838217e476f5412621320534ffe490a1890c994660: 'MCUboot root-rsa-2048.pem',
      '159d8b7930769d887f3ff0b4e9ec176b82313663f2ef76dc24f5e964da1bc482': 'MCUboot root-rsa-3072.pem',
      bb868a727f0ef75e890a6a52bccd1d936fb34438afd6f237e8af259865742446: 'MCUboot boot/cypress/keys/cypress-test-ec-p256.pem',
      e6c097daf1458d0f8b8d43fc4b4b9d4425203484b3afe5570ed074073901bab0: 'MCUboot samples/zephyr/bad-keys/bad-ec-p256.pem',
      cf2f67a6aee012de5a8e82a9d9e9f6bf4923f9f367fe6c03fe844a251a7b3e55: 'MCUboot samples/zephyr/bad-keys/bad-rsa-2048.pem',
      '6dc968724fdedb71be7c8ad62540ea148996f96adb5c48e9cc3112c588f26d89': 'MCUboot testplan/mynewt/key_ec256.pem',
      '1c35c9ccb929906e7792eda384825b41be700c50760493eaf163135933e191aa': 'MCUboot testplan/mynewt/key_ec256_2.pem',
      '54674c34090b98739e4bb93ab182c4e099ce378410b4ebe6dd5922b064779511': 'MCUboot testplan/mynewt/key_rsa.pem',
      f82d91d0193c6557517b7762f1a334abc4d4709ef1eb77b51e42f71c2a55fc6c: 'MCUboot testplan/mynewt/key_rsa_2.pem',
    },
  },
  {
    source: 'github.com/u-boot/u-boot at 6073c36b2c8',
    keys: {
      '00acfeb4d70d02eeabb36d01690d2b450f471ad40f7fde5f8247673567ddc0b0': 'U-Boot arch/arm/mach-k3/keys/custMpk.pem',
      '296963305883ca5b6fd0ef328cccbc5cdea586a373ee109094db1af757b272f1': 'U-Boot arch/arm/mach-k3/keys/ti-degenerate-key.pem',
      '5f7c50e793c142244a545bdd455f14aa2a4df44eabdceef21b53e97825786dcd': 'U-Boot board/broadcom/bcmns3/fit/keys/dev.key',
      fda75632e6cbd03e06beafa01d6bbb663e1f400de8fca64052ca38ebc3845d0e: 'U-Boot board/sandbox/capsule_priv_key_good.key',
      '6278a34fcfce205e4cbd3e8a85bd6906732700a8fb54d1d3df7df00cd7cf584c': 'U-Boot board/sandbox/capsule_priv_key_bad.key',
    },
  },
  {
    source: 'github.com/tianocore/edk2 at c5aa7e7d94',
    keys: {
      bcb3bd0b79cf516d886f731cb5b740edac45726bb14f2982b95b1c78c8c6469b: 'edk2 BaseTools/Source/Python/Pkcs7Sign/TestCert.pem',
      '3d42a73ae53139e7ab420c487f21387630d4cec8897a11aa1eab9cd4304baac7': 'edk2 BaseTools/Source/Python/Pkcs7Sign/TestRoot.pem',
      '654a48e7eff54ed3ddd0e9004c1a90eaa90d2b4faff33239d23e7118cb04517e':
        'edk2 BaseTools/Source/Python/Pkcs7Sign/TestSub.pub.pem',
      bb0da62e48db2b768825a0debdf64fb211b24f9f464275b955175e2057cbf7d8:
        'edk2 BaseTools/Source/Python/Rsa2048Sha256Sign/TestSigningPrivateKey.pem',
      '63344996e8579cf181d45ea2f82c038f2dfc4b7e35d2f3bd96679356152fc2e3':
        'edk2 SecurityPkg/Library/DxeImageVerificationLib/GoogleTest/binfiles/TestKey.pem',
    },
  },
  {
    source: 'github.com/raspberrypi/usbboot at 87d6e03',
    keys: {
      '79808217445be54be66d4c2cc2f386e9ebf69529ff4c694bbfc6c384d1893d20':
        'Raspberry Pi usbboot secure-boot-example/example-public.pem',
    },
  },
  {
    source: 'github.com/ARM-software/arm-trusted-firmware at 6a164dda7',
    keys: {
      a1ec91d8903068e1d0d44209d60f7d950440d2274b2fc1daa3702817924275c5:
        'Trusted Firmware-A plat/arm/board/common/protpk/arm_protprivk_ecdsa.pem',
      '71d92fd7a802f39848a95fa5765f4d71067b79ce095d67204f449ec1a0c40b36':
        'Trusted Firmware-A plat/arm/board/common/protpk/arm_protprivk_ecdsa_secp384r1.pem',
      '9c1bf3361f117b572a8560069f74ed7665d7b7a7e8a31d0980be509ec64b7b39':
        'Trusted Firmware-A plat/arm/board/common/protpk/arm_protprivk_rsa.pem',
      '2e40bf6ef912bb983171090e1e153d0bfdd1cc694a98eb8ba0b020864e6c0717':
        'Trusted Firmware-A plat/arm/board/common/rotpk/arm_rotprivk_ecdsa.pem',
      dcbcebee418114ed0951f0693527feaede4cad51081cd45ee54979d0072ff53b:
        'Trusted Firmware-A plat/arm/board/common/rotpk/arm_rotprivk_ecdsa_secp384r1.pem',
      b0f382091297d83a377a72471bec3273e99232e24959f65e8b4a4a46d8229ada:
        'Trusted Firmware-A plat/arm/board/common/rotpk/arm_rotprivk_rsa.pem',
      '9a0f8acde4fd481c87d30b3041d64c00334d63e29d1786af8abbd6423d6da5f6':
        'Trusted Firmware-A plat/arm/board/common/rotpk/arm_rotprivk_rsa_3k.pem',
      e22596c73e8ac825eadaa7ba38231808c06da97075d1ba96a7c2c007ad86b928:
        'Trusted Firmware-A plat/arm/board/common/rotpk/arm_rotprivk_rsa_4k.pem',
      '8c1214bc7d5511680ee910057198689db55bdecb5623a2b310fa9061be37e427':
        'Trusted Firmware-A plat/arm/board/common/swd_rotpk/arm_swd_rotprivk_ecdsa.pem',
      fe3ba5e86d13a338fb9bdcc55fd60e0ad938c005562a57510c8004951797e538:
        'Trusted Firmware-A plat/arm/board/common/swd_rotpk/arm_swd_rotprivk_ecdsa_secp384r1.pem',
      '1130bee2c30b92e69c10c8cb1b159328eca8308a7749d381d51ee9e3a167066b':
        'Trusted Firmware-A plat/arm/board/common/swd_rotpk/arm_swd_rotprivk_rsa.pem',
    },
  },
  {
    source: 'github.com/nxp-mcuxpresso/spsdk at 7fdf6378',
    keys: {
      '90ce11dd8f7e57460537ea1b6c15299ab9e29533df402264c9382daaa32a86d0':
        'NXP SPSDK examples/_data/certificates/srk0_sha256_4096_65537_v3_usr_crt.pem',
      a48c460b71a6ab966bdf2e3ce0168e7e56d1e162fbf3422071911c73e81ee59f:
        'NXP SPSDK examples/_data/certificates/srk1_sha256_4096_65537_v3_usr_crt.pem',
      '57ad5c04ba09b4138de263598a7e6c1256b1116710a80e324a45fb963122e00e':
        'NXP SPSDK examples/_data/certificates/srk2_sha256_4096_65537_v3_usr_crt.pem',
      '14458411136cad9effcd667426d4ea14bac4a2302e9f001dc334872effcbc69d':
        'NXP SPSDK examples/_data/certificates/srk3_sha256_4096_65537_v3_usr_crt.pem',
      '799de020cc808f5e48640b2c59a1af395fb55e8621d9c48d3bc1096cf573aba9': 'NXP SPSDK examples/_data/keys/ecc256/srk0_ecc256.pem',
      '40b48ee1127261ab5961a86bce0f072cc79b3a920307e786baf6b34bff072d35': 'NXP SPSDK examples/_data/keys/ecc256/srk1_ecc256.pem',
      '76165485348ed97b14be5ea24cb440d32d160c428f118a5a9ae645aec3d2c65c': 'NXP SPSDK examples/_data/keys/ecc256/srk2_ecc256.pem',
      '9bd8757832f53ea78016f3afcafeda9b862e79cf1650f34d4cd27d6d8efa6a14': 'NXP SPSDK examples/_data/keys/ecc256/srk3_ecc256.pem',
      '30fd433325111053da62d3cfea5b5ff6557b8b1233544c3763bd6fb5978d366d': 'NXP SPSDK examples/_data/keys/ecc384/srk0_ecc384.pem',
      b9c1542213046684d46947583bc7a7c934cf7e00d7fb7926b915d64c17bf2592: 'NXP SPSDK examples/_data/keys/ecc384/srk1_ecc384.pem',
      '60a99ea8211eeb7a373e6023eead8ee1b547cb7f44abdb55e216e95aba678acf': 'NXP SPSDK examples/_data/keys/ecc384/srk2_ecc384.pem',
      '334765e209906afc8635ce1ad4a7acd8ba11124fa64b78966c9911886404b1e0': 'NXP SPSDK examples/_data/keys/ecc384/srk3_ecc384.pem',
      fcc68be8bbf9302d0fdcade56dd97644fb92751a279585e7778abf724d81b1c4: 'NXP SPSDK examples/_data/keys/ecc521/srk0_ecc521.pem',
      '7896ead0677271813b9f21e3231f75a23987e48875238eea5dbc4804243cf4b5': 'NXP SPSDK examples/_data/keys/ecc521/srk1_ecc521.pem',
      b2e929c5ca1893b680d9f82b0af17f27fdc53b2da21d6bd72e0428727c5f3708: 'NXP SPSDK examples/_data/keys/ecc521/srk2_ecc521.pem',
      b639bf17de6c2883f41e0c974a5e2539fbd6335a03ffb921f7d1d560c5b39a30: 'NXP SPSDK examples/_data/keys/ecc521/srk3_ecc521.pem',
      a9bb641e3d517c67633db48771dcd326a72988432825a4a5c0ac82df516291d8: 'NXP SPSDK examples/_data/keys/rsa2048/srk0_rsa2048.pem',
      '181894a6c606fdcd9c94b7a87c335c20a9afe7f55ea3e4119671a946dc8225b4':
        'NXP SPSDK examples/_data/keys/rsa2048/srk1_rsa2048.pem',
      '1794c40f2934b929438fe3bcc6443107c8d9ddb4a9104b3bf615158b9f6dee24':
        'NXP SPSDK examples/_data/keys/rsa2048/srk2_rsa2048.pem',
      '91e47811c2d0dda403dca76374b4f6be4579dc9c04362365090a6548f862655d':
        'NXP SPSDK examples/_data/keys/rsa2048/srk3_rsa2048.pem',
    },
  },
  {
    source: 'github.com/espressif/esptool at bb72741',
    keys: {
      c7e5970095e3365cd78808bab70f55ea33d48e38cc06a22a28120da973d5e948:
        'esptool test/secure_images/ecdsa192_secure_boot_signing_key.pem',
      fffeafdf99ae035bd6a658044db81923b8b622e0938611525fffd14024c553b7:
        'esptool test/secure_images/ecdsa192_secure_boot_signing_key2.pem',
      '2029eb613973316b6ec98429b9816237472fb8005a6775d69885debc274ab695':
        'esptool test/secure_images/ecdsa192_secure_boot_signing_key3.pem',
      aaeeed0caf65d7a4a9582d0f24b4b2e61d9608f70aff849b071a23719533c7b9:
        'esptool test/secure_images/ecdsa192_secure_boot_signing_key4.pem',
      c9aa0de6e3f9c806b4bbd78753f8960a543353c272005d6b903ed05fbcb2e8f4:
        'esptool test/secure_images/ecdsa256_secure_boot_signing_key.pem',
      be6673e2e2088fe37a7c0d9ad42a4ad1669578a450e9daac387392cbca87e473:
        'esptool test/secure_images/ecdsa256_secure_boot_signing_key2.pem',
      '10a122f30a2d0953225750cc11d58b91d40750e6d47588c8e6e7e001b0cf10d7':
        'esptool test/secure_images/ecdsa256_secure_boot_signing_key3.pem',
      bc719addcb27b375edec12ae4ce3cc4b3d21961482f98cbf464a5abb180fe4f1:
        'esptool test/secure_images/ecdsa256_secure_boot_signing_key4.pem',
      f59288721ff1c6dd1d0346e23d30444524bd6e53919f3cbfe0dfb6e9bd0633b1:
        'esptool test/secure_images/ecdsa384_secure_boot_signing_key.pem',
      '7063d5577350185d8a751a3cdc6c32c3724683eeef1f84c7df4ebd9629ed41a7':
        'esptool test/secure_images/ecdsa384_secure_boot_signing_key2.pem',
      b397c28cb2c63aeda0c8c903bf63786ddfd7739e5480542371abd949a8874029:
        'esptool test/secure_images/ecdsa384_secure_boot_signing_key3.pem',
      cabd3956fb11652c36f92bc4066c0520bb5281c5d42e95041a019cf62e9a6d62:
        'esptool test/secure_images/ecdsa384_secure_boot_signing_key4.pem',
      ea65882064b6349fa1cba7a6cca5653734b2fe9190095f561c199c2525c4a886:
        'esptool test/secure_images/rsa_secure_boot_signing_key.pem',
      df594d59bf90e79dd7d9eaa3a277e5c6f9465f6a47bd118e18a2cb6be9db9acd:
        'esptool test/secure_images/rsa_secure_boot_signing_key2.pem',
      '11f0c4dad080f1f8967c52ba6268623e283f83ef7a6031d044525941c6f88321':
        'esptool test/secure_images/rsa_secure_boot_signing_key3.pem',
      '2cf2f4c0243f8ce6e73cba224730dd0308d18c8e285226859e0185be9e9577c8':
        'esptool test/secure_images/rsa_secure_boot_signing_key4.pem',
    },
  },
  {
    source: 'github.com/espressif/esp-idf at 102122904ad',
    keys: {
      '535ec72de45078ee77f0f3c4b5c00b27f23ffc7b231c0d6e700d1a3b75cf2077':
        'ESP-IDF components/esp_tee/test_apps/tee_cli_app/test_keys/secure_boot_signing_key_ecdsa_p256.pem',
      '7a3a75c7b5310b8589d11e5b3abf2a50a05cf81d9f5270668c121b7e2af9f769':
        'ESP-IDF components/esp_tee/test_apps/tee_cli_app/test_keys/secure_boot_signing_key_rsa_3072.pem',
      '92895e95537f078f65037da9671c9b1b9d6cc908866dc55b9a7cf26c52ceafbe':
        'ESP-IDF examples/security/security_features_app/test/test_secure_boot_signing_key.pem',
      b6e4be86e53165ca36cff2db9e4190c5573ceef2941679bc8921879dd91d9223:
        'ESP-IDF examples/system/efuse/test/secure_boot_signing_key.pem',
      '9fdbee264bfd574b6f954f87ad8b275910be99a64b77021da148fae3b4362768':
        'ESP-IDF examples/system/efuse/test/secure_boot_signing_key_ecdsa.pem',
      '1d058d14ef56f5304a06547c0085a202e128b33e5d6ba87b86fccd23056170a4':
        'ESP-IDF examples/system/efuse/test/secure_boot_signing_key_ecdsa_nistp256.pem',
      b3891179959566a1e5ccad28c3d15120bd60539217e360ec562e4e7fabdd061d:
        'ESP-IDF examples/system/efuse/test/secure_boot_signing_key_ecdsa_nistp384.pem',
      f9944ca3f30a6d0f09065ed7981e0c422763cd32ac3588288c596a6b87e54743:
        'ESP-IDF tools/test_apps/security/secure_boot/test/secure_boot_signing_key0.pem',
      '96f901ddc2339795ff49f075a41ce76190bae1f0a116ef1807abd961d37dc916':
        'ESP-IDF tools/test_apps/security/secure_boot/test/secure_boot_signing_key1.pem',
      c828d7519827e688526730febc617f7efeefebdbca14b8c900a295852a9342c1:
        'ESP-IDF tools/test_apps/security/secure_boot/test/secure_boot_signing_key2.pem',
      a5a147a5910b1b73fc66af39f3b5c7c68e59170e28ca67c96de2685b45315f48:
        'ESP-IDF tools/test_apps/security/secure_boot/test_ecdsa_key.pem',
      c378135fd8942823efb639b2f7db4c47c93af8d89712fbefeaaaafe50578e33c:
        'ESP-IDF tools/test_apps/security/secure_boot/test_rsa_3072_key.pem',
      d99a7742ad482a52c93e38943e6f9af557faad041144f6688e0ba74bed3a5d6f:
        'ESP-IDF tools/test_apps/security/signed_app_no_secure_boot/secure_boot_signing_key.pem',
    },
  },
  {
    source: 'github.com/aosp-mirror/platform_build at 045a3d6a3e',
    keys: {
      de5b1ddc59331bbdeee26d6467dd4f9fc09719098ba7dcb6a973045781a0e36c:
        'Android platform/build target/product/security/bluetooth.x509.pem',
      '091377d6fd00e4e217b750571d45cbe1a32c7fa74075138fc529fdf162b5416f':
        'Android platform/build target/product/security/media.x509.pem',
      '7bfcc5541e9f18e3738b1d5fa0b8524d44bac99424cfdcc6594d9386d4daaf15':
        'Android platform/build target/product/security/networkstack.x509.pem',
      '9318ca97d2c148ca94639603b68d0928068158113d23a1cfca30acc4df2cac37':
        'Android platform/build target/product/security/nfc.x509.pem',
      '3d3df7dc9bf26e02d4cd76256d41d45e41a4dedebe7feb95c40e3697681be8a7':
        'Android platform/build target/product/security/platform.x509.pem',
      d2e67bf7c0aaa67f3a4f7dc35dd2d45aa111a91e06a2cc517eaf9c249de31454:
        'Android platform/build target/product/security/sdk_sandbox.x509.pem',
      '2b59625f19b7d0d143a69fb7a02d42b151480ddfe60b0572070ac24afca212a0':
        'Android platform/build target/product/security/shared.x509.pem',
      ef57b690165cb561b5026922c00d2d6574e8b184fa7d161e076f06e06e6d35db:
        'Android platform/build target/product/security/testkey.x509.pem',
    },
  },
  {
    source: 'github.com/LineageOS/android_external_avb at 8aaa369',
    keys: {
      '5c465203f66d5e55a381455ff1ed69403623aa5fde02d6805eabecc9a3fecd75': 'Android avbtool test/data/testkey_atx_pik.pem',
      '991259d9f9f6a9a29ba41babde3a50c50078dcafbaf57040b91989a866db8289': 'Android avbtool test/data/testkey_atx_prk.pem',
      bfdebdfa61ed3fd68d6ed274e162fc170af3cb3700e41d0fd71c54db1a34a7a5: 'Android avbtool test/data/testkey_atx_psk.pem',
      '000d7b990448ba4ab1f682e4166cf342ef192e1d037686010052abf3bb093c1d': 'Android avbtool test/data/testkey_atx_puk.pem',
      '27f501a05553b8086eaea2ddabeb46c96b3ca30cd6ceb0d4f30e5bc0c543d507': 'Android avbtool test/data/testkey_rsa2048.pem',
      '9841073d16a7abbe21059e026da71976373d8f74fdb91cc46aa0a7d622b925b9': 'Android avbtool test/data/testkey_rsa4096.pem',
      '8d11ff993173d66a268020ce91ea4801a90b358ddd639dfe771204330c33da01': 'Android avbtool test/data/testkey_rsa8192.pem',
    },
  },
]

const known = new Map(
  published.flatMap(({ keys, source }) => Object.entries(keys).map(([hash, name]) => [hash, { name, source }])),
)

/** The published key with this fingerprint, and where its private half can be downloaded. */
export const findPublishedKey = (fingerprint: string): { name: string; source: string } | undefined => known.get(fingerprint)
