// Puts markup and escapes into compiler messages.
#error <script>alert(1)</script> ]]> [31m "}],"verdict":"PASS" =1+1 ::error::owned
static void attack_once() {}
