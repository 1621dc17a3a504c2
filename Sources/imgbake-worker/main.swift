print("imgbake-worker")
