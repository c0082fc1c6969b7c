// Prints HTML, XML and Markdown.
static void attack_once() {
    std::printf("<script>alert(1)</script><img src=x onerror=alert(1)>]]></system-out><!-- ![x](http://h/x) | a | `b` </pre>\n");
}
