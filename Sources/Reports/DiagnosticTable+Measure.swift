extension DiagnosticTable {
    static let measuring = [
        Row(
            .browserMissing,
            """
            'imgbake measure' needs Chromium or Chrome, and none was found in the folders of PATH. \
            It downloads nothing.
            """, "install Chromium, or give --browser with the path of one"),
        Row(
            .browserFailed,
            """
            The browser did not start, ended, or did not answer in time. The file of sizes is as it \
            was.
            """, "start the browser by hand to see what it says, or give --browser with another one"
        ),
        Row(
            .pageNotLoaded,
            """
            The browser did not finish loading a page in time, or the page crashed it. Scripts of \
            other hosts do not run, which a script of the page may wait for. The file of sizes is \
            as it was.
            """, "open the page in a browser, raise --page-timeout, or leave it out with --ignore"),
        Row(
            .pageNotMeasured,
            """
            A page needs a style sheet that is not in the folder, so the widths of its images are \
            not known. 'imgbake measure' requests nothing from other hosts.
            """, "put the style sheet into the site"),
        Row(
            .imageNotMeasured,
            """
            The browser could not show an image: it is missing, damaged, or on another host and not \
            in the cache.
            """, "run 'imgbake prefetch' before, or measure the baked site"),
        Row(
            .sizesDiffer,
            "Images are more than 5 % wider or narrower than imgbake.sizes.json says.",
            "run 'imgbake measure' and commit imgbake.sizes.json"),
        Row(
            .unmeasuredPlace,
            """
            imgbake.sizes.json has no width for images in these places of their pages. They get the \
            sizes that they would get without the file.
            """, "run 'imgbake measure' and commit imgbake.sizes.json"),
        Row(
            .unusedSizes, "No image stands in these places of imgbake.sizes.json any more.",
            "run 'imgbake measure' and commit imgbake.sizes.json"),
        Row(
            .invalidSizes,
            """
            imgbake.sizes.json cannot be used: it is damaged, has marks of a merge conflict, or is \
            of a newer version of imgbake. A bake leaves it as it is; 'imgbake measure' replaces it.
            """, "restore the file from version control, or run 'imgbake measure'"),
    ]
}
